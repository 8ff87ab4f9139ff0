/** Reads pasted JSON: a request, an example or matrices. */

import { MATRICES, bodyOf, defaultModel, asQuestion } from "../core/question.js";

const WEIGHTS = [...MATRICES, "num_heads", "num_kv_heads", "seed", "positions"];
const LISTS = [...MATRICES, "x", "tokens", "context_x", "context_tokens", "blocked", "drop", "mask", "context_mask"];

/**
 * Missing fields keep their values, unless the JSON has a model.
 * @param {Page} page @param {Question} now @param {string} text
 * @returns {{question: Question} | {wrong: string, field: string}} `wrong`: message key
 */
export function readPasted(page, now, text) {
  let given;
  try {
    given = JSON.parse(text);
  } catch {
    return { wrong: "paste.not_json", field: "" };
  }
  const body = given?.question ?? given;
  if (!isObject(body) || !isObject(body.model ?? {})) return { wrong: "paste.not_an_object", field: "" };
  const known = new Set([...Object.keys(page.defaults), ...page.parts, ...WEIGHTS]);
  const unknown = Object.keys(body).find((field) => !known.has(field));
  if (unknown !== undefined) return { wrong: "paste.unknown", field: unknown };
  const flat = { ...body.model, ...body };
  const bare = LISTS.find((field) => !isList(flat[field] ?? [], ["blocked", "drop"].includes(field)));
  if (bare !== undefined) return { wrong: "paste.not_a_list", field: bare };
  return { question: body.model ? asQuestion(page, body) : changed(page, now, body) };
}

/** @param {Page} page @param {Question} now @param {Record<string, any>} body */
function changed(page, now, body) {
  const { text, x, tokens, ...kept } = bodyOf(now);
  const input = body.text || body.x || body.tokens ? {} : { text, x, tokens };
  const model = now.model.source === "explicit" ? now.model : defaultModel(page, "explicit");
  const weights = Object.fromEntries(Object.entries(body).filter(([field]) => WEIGHTS.includes(field)));
  return asQuestion(page, { ...kept, ...input, ...body, model: { ...model, ...weights } });
}

/** @param {unknown} value */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {unknown} value @param {boolean} nested elements must be lists */
function isList(value, nested) {
  const fits = (/** @type {unknown} */ each) => Array.isArray(each) || (!nested && typeof each !== "object");
  return Array.isArray(value) && value.every(fits);
}
