const NAMES = /\.(txt|text|md|markdown)$/i;
const KINDS = ["text/plain", "text/markdown"];
const BYTES = 4; // longest UTF-8 character

/** @param {Pick<File, "name" | "type">} file */
export const isText = ({ name, type }) => NAMES.test(name) || KINDS.includes(type);

/** Counts Unicode characters: a surrogate pair is one. @param {string} text @param {number} limit */
export function isTooLong(text, limit) {
  if (text.length <= limit) return false;
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) >> 10 === 0x36) count -= 1; // surrogate half
  return count > limit;
}

/**
 * Reads a UTF-8 file, with \n for line breaks. Files above the limit are not read.
 * @param {File[]} files @param {number} limit characters
 */
export async function readText(files, limit) {
  const [file] = files;
  const { name } = file;
  const refusal = (/** @type {string} */ wrong) => ({ wrong, values: { name, limit } });
  if (files.length > 1) return refusal("text_file.several");
  if (file.size > BYTES * limit) return refusal("text_file.too_long");
  const bytes = await file.arrayBuffer().catch(() => null);
  if (!bytes) return refusal("text_file.gone");
  const text = decoded(bytes)?.replace(/\r\n?/g, "\n");
  if (text === undefined) return refusal("text_file.not_text");
  if (text.trim() === "") return refusal("text_file.empty");
  return isTooLong(text, limit) ? refusal("text_file.too_long") : { text };
}

/** @param {ArrayBuffer} bytes */
function decoded(bytes) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
