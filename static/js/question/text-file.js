import { TEXTS } from "../core/address/hash.js";
import { Problem } from "../core/api.js";
import { setQuestion } from "../core/question-changes.js";
import { separator, textsOf } from "../core/question.js";
import { sendDropped } from "./upload-request.js";

const NAMES = /\.(txt|text|md|markdown)$/i;
const KINDS = ["text/plain", "text/markdown"];
const BYTES = 4; // of the longest UTF-8 character

/** @param {Pick<File, "name" | "type">} file */
export const isText = ({ name, type }) => NAMES.test(name) || KINDS.includes(type);

/** Counts Unicode characters: a surrogate pair is one. @param {string} text @param {number} limit */
export function isTooLong(text, limit) {
  if (text.length <= limit) return false;
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) >> 10 === 0x36) count -= 1; // high surrogate
  return count > limit;
}

/**
 * Reads a UTF-8 file, with \n for line breaks. Files that must exceed the limit are not read.
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

/** @typedef {typeof TEXTS[number]} Box */

const REFUSED = "text_refused";
const MODEL = /\.(safetensors|npz|npy|json|gguf)$/i;
/** Fields that a box's text replaces. @type {Record<Box, Partial<Question>>} */
const REPLACED_FIELDS = {
  text: { x: null, tokens: null },
  context: { context_x: null, context_tokens: null },
  pair: { x: null, tokens: null },
};

/** @type {WeakMap<Store, File[]>} */
const reading = new WeakMap();

/**
 * Fills a box with one text; other boxes keep their texts.
 * @param {Question} question @param {Box} box @param {string} text @returns {Question}
 */
export function withWhole(question, box, text) {
  const others = TEXTS.filter((name) => name !== box && question[name] !== null);
  const breaks = question.breaks || text.includes("\n");
  const kept = others.map((name) => [name, textsOf(question[name], question.breaks).join(separator(breaks))]);
  return { ...question, ...Object.fromEntries(kept), ...REPLACED_FIELDS[box], [box]: text, breaks };
}

/** @param {Question} question @param {boolean} breaks @returns {Question} */
export function withBreaks(question, breaks) {
  if (breaks) return { ...question, breaks };
  const lines = TEXTS.map((name) => [name, question[name]?.replaceAll(separator(true), separator(false)) ?? null]);
  return { ...question, ...Object.fromEntries(lines), breaks };
}

/** @param {Store} store @param {Box} box @param {string} key @param {Record<string, unknown>} values */
export function refuseText(store, box, key, values) {
  const message = store.t(key, values);
  const unchanged = new Problem({ detail: message, code: REFUSED, errors: [{ at: box, message }] });
  store.set({ unchanged }, { silent: true });
}

/** @param {Pick<State, "unchanged">} state */
export const refusedText = ({ unchanged }) => (unchanged?.code === REFUSED ? unchanged.message : "");

/** Drops the text if another file was opened meanwhile. @param {Store} store @param {File[]} files @param {Box} box */
export async function openText(store, files, box) {
  if (files.length === 0) return;
  reading.set(store, files);
  const read = await readText(files, store.page.limits.max_characters);
  if (reading.get(store) !== files) return;
  if ("wrong" in read) return refuseText(store, box, read.wrong, read.values);
  store.set({ unchanged: null }, { silent: true });
  setQuestion(store, withWhole(store.get().question, box, read.text));
}

/**
 * Text goes into the box under the pointer, else into the sentence.
 * @param {Store} store @param {File[]} files @param {EventTarget | null} place @param [send] for other files
 */
export function takeDropped(store, files, place, send = sendDropped) {
  const field = place instanceof Element ? place.closest("[data-field]")?.getAttribute("data-field") : null;
  const box = TEXTS.find((name) => name === field);
  const meant = box && !files.some(({ name }) => MODEL.test(name));
  if (files.length && (meant || files.every(isText))) return openText(store, files, box ?? "text");
  return send(store, files);
}
