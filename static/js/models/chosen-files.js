/** Recognises whole models: weights with config.json and tokenizer.json, or one .gguf. */

/** @typedef {{model_type: string, architecture: string, heads: number | null}} Config */

const WEIGHTS = /\.(safetensors|npz)$/i;
const PICKLES = /\.(bin|pt|pth|pkl|ckpt)$/i;
const LARGEST_CONFIG = 1 << 20;
const HEADS = ["num_attention_heads", "n_head", "n_heads", "num_heads"]; // keys of configs

/** .safetensors and .npz files or, without any, files that may be weights. @param {File[]} files */
export function weightsOf(files) {
  const weights = files.filter(({ name }) => WEIGHTS.test(name));
  if (weights.length) return weights;
  const written = files.filter(({ name }) => /\.json$/i.test(name) && name !== "config.json");
  const pickles = files.filter(({ name }) => PICKLES.test(name));
  return pickles.length ? pickles : files.length === 1 ? files : written;
}

/** @param {File[]} files @returns {Promise<Config | null>} null if missing or unreadable */
export async function configOf(files) {
  const file = files.find(({ name }) => name === "config.json");
  if (!file || file.size > LARGEST_CONFIG) return null;
  try {
    const config = JSON.parse(await file.text());
    const heads = HEADS.map((key) => config[key]).find((value) => Number.isInteger(value) && value > 0);
    const architecture = String(config.architectures?.[0] ?? "");
    return { model_type: String(config.model_type ?? architecture), architecture, heads: heads ?? null };
  } catch {
    return null;
  }
}

/** Name of the folder or, without one, of the first file. @param {File[]} files */
export function titleOf(files) {
  const [{ name, webkitRelativePath: path = "" }] = files;
  return path.includes("/") ? path.split("/").slice(-2)[0] : name.replace(/\.[^.]+$/, "");
}

/** @typedef {{kind: string, files: {field: string, file: File}[], bytes: number}} Whole `kind`: model type or "GGUF" */

/**
 * @param {File[]} files @param {File[]} weights @param {Config | null} config
 * @param {string[]} families
 */
export function wholeOf(files, weights, config, families) {
  const [gguf] = files.filter(({ name }) => /\.gguf$/i.test(name));
  if (gguf && weights.every(({ name }) => name === gguf.name)) return whole("GGUF", [["weights", gguf]]);
  const [own, tokenizer] = ["config.json", "tokenizer.json"].map((name) => files.find((file) => file.name === name));
  if (!own || !tokenizer || !config || !families.includes(config.model_type)) return null;
  if (!weights.every(({ name }) => /\.safetensors$/i.test(name))) return null;
  const shards = weights.map((file) => /** @type {[string, File]} */ (["weights", file]));
  return whole(config.model_type, [...shards, ["config", own], ["tokenizer", tokenizer]]);
}

/** @param {string} kind @param {[string, File][]} parts */
function whole(kind, parts) {
  const files = parts.map(([field, file]) => ({ field, file }));
  return { kind, files, bytes: files.reduce((sum, { file }) => sum + file.size, 0) };
}

/** @param {Whole} model @param {string} title @param {string[]} accept keys that the server must ignore */
export function formOf({ files }, title, accept) {
  const form = new FormData();
  for (const { field, file } of files) form.append(field, file);
  form.append("name", title);
  if (accept.length) form.append("accept", JSON.stringify(accept));
  return form;
}

export class TooManyFiles extends Error {}

/**
 * @param {{items: Iterable<{kind: string, webkitGetAsEntry(): FileSystemEntry | null, getAsFile(): File | null}>}}
 * dropped
 * @param {number} most @throws {TooManyFiles}
 */
export async function droppedFiles(dropped, most) {
  // The browser empties `items` at the first await.
  const items = [...dropped.items].filter(({ kind }) => kind === "file");
  const found = items.map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  /** @type {File[]} */
  const files = [];
  for (const each of found) if (each) await gather(each, files, most);
  return files;
}

/** @param {FileSystemEntry | File} each @param {File[]} files @param {number} most */
async function gather(each, files, most) {
  if (files.length >= most) throw new TooManyFiles();
  if (each instanceof File) files.push(each);
  else if (isFile(each)) files.push(await new Promise((resolve, reject) => each.file(resolve, reject)));
  else {
    const reader = /** @type {FileSystemDirectoryEntry} */ (each).createReader();
    for (;;) {
      /** @type {FileSystemEntry[]} at most 100 entries */
      const batch = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (batch.length === 0) return;
      for (const inner of batch) await gather(inner, files, most);
    }
  }
}

/** @param {FileSystemEntry} entry @returns {entry is FileSystemFileEntry} */
const isFile = (entry) => entry.isFile;
