import { wordsOf } from "../core/answer.js";
import { textsOf } from "../core/question.js";
import { withTextAt } from "../question/cut-text.js";
import { labels, labelsOfAll } from "./edits.js";

/** @typedef {{axis: Axis, batch: number, at: number}} Place */

const FIELDS = /** @type {const} */ ({
  query: { text: "text", tokens: "tokens", x: "x" },
  key: { text: "context", tokens: "context_tokens", x: "context_x" },
});

const LETTERS = /^(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}])[\p{L}\p{N}])+$/u;
/** A word with these neighbours is a token of its own. */
const APART = { before: /(?:^|\s)["“(]*$/u, after: /^[,.!?;:"”)]*(?:\s|$)/u };

/** Without a context, queries and keys are the same tokens. @param {Answer} answer @param {Axis} axis */
const ownAxis = ({ reply }, axis) => (reply.context_lengths ? axis : "query");

/** Whether tokens only label given numbers. @param {Question} question @param {Axis} axis */
export const areLabels = (question, axis) => Boolean(question[FIELDS[axis].x]);

/**
 * Replaces a token in the text if the model is installed or the token surely stays one; else in the list.
 * @param {Question} question @param {Answer} answer @param {Place} place
 * @param {string} token
 */
export function withToken(question, answer, { axis, batch, at }, token) {
  if (answer.reply.sentences) return inPair(question, answer.reply, batch, at, token);
  const names = FIELDS[ownAxis(answer, axis)];
  const words = wordsOf(answer.reply, ownAxis(answer, axis));
  const typed = question[names.tokens]
    ? null
    : inText(question, String(question[names.text] ?? ""), words, batch, at, token);
  if (typed !== null) return { ...question, [names.text]: typed };
  const all = /** @type {any} */ (labelsOfAll(words));
  const nested = words.lengths.length > 1;
  const tokens = nested ? all.with(batch, all[batch].with(at, token)) : all.with(at, token);
  return { ...question, [names.text]: "", [names.tokens]: tokens };
}

/**
 * Replaces a token in its text, as a list would not say which sentence it is in.
 * @param {Question} question @param {Reply} reply @param {number} batch @param {number} at @param {string} token
 */
function inPair(question, { sentences, offsets }, batch, at, token) {
  const field = sentences?.[batch][at] ? "pair" : "text";
  return replaceSpan(question, field, batch, offsets?.[batch][at] ?? [0, 0], token);
}

/**
 * Replaces a part of a text, except the part's leading space.
 * @param {Question} question @param {"text" | "context" | "pair"} field @param {number} batch
 * @param {Span} place in Unicode characters; empty for a special token @param {string} token
 */
function replaceSpan(question, field, batch, [start, end], token) {
  if (start === end) return question;
  const typed = withTextAt(String(question[field]), question.breaks, batch, (text) => {
    const signs = [...text];
    const space = signs.slice(start, end).join("").match(/^\s*/)?.[0];
    return [...signs.slice(0, start), space, token.trim(), ...signs.slice(end)].join("");
  });
  return { ...question, [field]: typed };
}

/**
 * `withToken` for a long text, whose tokens are not all loaded.
 * @param {Question} question @param {Place} place
 * @param {Span | null} offset in Unicode characters @param {string} token
 */
export function withTokenInLongText(question, { axis, batch, at }, offset, token) {
  const names = FIELDS[axis];
  const given = /** @type {any} */ (question[names.tokens]);
  if (!given) return replaceSpan(question, names.text, batch, offset ?? [0, 0], token);
  const nested = Array.isArray(given[0]);
  const tokens = nested ? given.with(batch, given[batch].with(at, token)) : given.with(at, token);
  return { ...question, [names.tokens]: tokens };
}

/**
 * The box with a token replaced; null if not found, or if it may split and the model is not installed.
 * @param {Question} question @param {string} box @param {ReturnType<typeof wordsOf>} words @param {number} batch
 * @param {number} at @param {string} token
 */
function inText({ tokenizer, model, breaks }, box, words, batch, at, token) {
  const text = textsOf(box, breaks)[batch];
  let start = 0;
  let end = 0;
  let space = "";
  for (const own of (labels(words, batch) ?? []).slice(0, at + 1)) {
    start = text.indexOf(own, end);
    if (start < 0 || text.slice(end, start).trim()) return null;
    end = start + own.length;
    space = own.match(/^\s*/)?.[0] ?? "";
  }
  const [before, after] = [text.slice(0, start), text.slice(end)];
  const fits = model.source === "installed" || keepsApart(tokenizer, before, token, after);
  return fits ? withTextAt(box, breaks, batch, () => before + space + token + after) : null;
}

/** @param {string | null} tokenizer @param {string} before @param {string} token @param {string} after */
function keepsApart(tokenizer, before, token, after) {
  if (tokenizer === "whitespace") return !/\s/u.test(token);
  if (/^[\p{M}\p{Cf}]/u.test(after)) return false;
  if (tokenizer === "characters") return /^[\p{L}\p{N}]$/u.test(token);
  if (/^\p{Script=Han}$/u.test(token)) return true;
  return LETTERS.test(token) && APART.before.test(before) && APART.after.test(after);
}
