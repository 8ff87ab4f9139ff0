/** Reads pasted JSON: a request, an example or matrices. */

import { setQuestion } from "../core/question-changes.js";
import { MATRICES, bodyOf, defaultModel, asQuestion } from "../core/question.js";
import { h } from "../lib/dom.js";
import { keystrokes } from "./keystrokes.js";

const WEIGHTS = [...MATRICES, "num_heads", "num_kv_heads", "seed", "positions"];
const LISTS = [...MATRICES, "x", "tokens", "context_x", "context_tokens", "blocked", "drop", "mask", "context_mask"];

/**
 * Without a model in the JSON, missing fields keep their values; new input replaces text, x and tokens.
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

const EXAMPLE = '{"w_q": [[1, 0], [0, 1]], "w_k": …, "w_v": …, "x": [[1, 2], [3, 4]]}';

/**
 * @param {Store} store @param {Set<string>} others fields that show their own errors
 * @returns {import("./fields.js").Field}
 */
export function pasteBox(store, others) {
  const { t } = store;
  const box = h("textarea", {
    rows: 3,
    spellcheck: "false",
    placeholder: t("paste.placeholder", { example: EXAMPLE }),
  });
  const error = h("span", { class: "error", role: "alert" });
  const how = keystrokes(box);
  let unread = "";
  box.addEventListener("input", () => {
    const read = box.value.trim() ? readPasted(store.page, store.get().question, box.value) : null;
    unread = read && "wrong" in read ? t(read.wrong, { field: read.field, example: EXAMPLE }) : "";
    error.textContent = unread;
    if (read && "question" in read) setQuestion(store, read.question, how());
  });
  return {
    root: h("label", { class: "paste" }, h("span", { class: "title" }, h("b", {}, t("paste.label"))), box, error),
    update({ problem }) {
      const refusals = problem?.errors.filter(({ at }) => !others.has(at ?? "")) ?? [];
      const whole = problem && problem.errors.length === 0 ? [problem] : [];
      error.textContent = unread || [...refusals, ...whole].map(({ message }) => message).join("\n");
    },
  };
}
