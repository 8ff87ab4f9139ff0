/** The hash, which browsers do not send, holds numbers, tokens, masks and long texts. */

import { MATRICES } from "../question.js";

const DEEPEST = 3;
const PLACE = /^#[a-z][\w-]*$/i; // such as #main
const LONG = 6000; // bytes; servers refuse long queries

/** @param {unknown} value @param {(leaf: unknown) => boolean} fits @param {number} deepest @returns {boolean} */
function nested(value, fits, deepest) {
  if (!Array.isArray(value) || !value.length) return false;
  return value.every((each) => fits(each) || (deepest > 1 && nested(each, fits, deepest - 1)));
}

/** @param {unknown} value */
const isNumbers = (value) => nested(value, Number.isFinite, DEEPEST);

/** @param {unknown} value */
const isWord = (value) => typeof value === "string";

/** @param {unknown} value */
const isTokens = (value) => nested(value, isWord, 2);

/** @param {unknown} value */
const isMask = (value) => nested(value, (bit) => bit === 0 || bit === 1, DEEPEST + 1);

/** Fields that are always in the hash, with checks. */
const GIVEN = {
  x: isNumbers,
  tokens: isTokens,
  context_x: isNumbers,
  context_tokens: isTokens,
  mask: isMask,
  context_mask: isMask,
  knockouts: Boolean,
  position_ids: Boolean,
};
export const LARGE = /** @type {(keyof typeof GIVEN)[]} */ (Object.keys(GIVEN));

export const TEXTS = /** @type {const} */ (["text", "context", "pair"]);

/** @type {Record<string, (value: unknown) => boolean>} */
const KINDS = {
  ...GIVEN,
  ...Object.fromEntries(TEXTS.map((name) => [name, isWord])),
  ...Object.fromEntries(MATRICES.map((name) => [name, isNumbers])),
};

/** @param {Question} question @param {Record<string, any>} base default model */
export function hashOf(question, base) {
  const { model } = question;
  /** @type {Record<string, unknown>} */
  const large = {};
  for (const name of TEXTS) if (isLongText(question[name])) large[name] = question[name];
  for (const name of LARGE) if (question[name]) large[name] = question[name];
  for (const name of MATRICES) {
    if (JSON.stringify(model[name]) !== JSON.stringify(base[name])) large[name] = model[name];
  }
  return Object.keys(large).length ? `#${encodeURIComponent(JSON.stringify(large))}` : "";
}

/** @param {string | null} text */
export function isLongText(text) {
  return Number(text?.length) > LONG / 9 && encodeURIComponent(JSON.stringify(text)).length > LONG;
}

/** @param {string} hash @returns {{large: Record<string, any>, ignored: string[]}} `ignored`: invalid entries */
export function readHash(hash) {
  if (PLACE.test(hash)) return { large: {}, ignored: [] };
  const given = parsed(hash.slice(1));
  if (!given || typeof given !== "object" || Array.isArray(given)) {
    return { large: {}, ignored: hash.length > 1 ? [hash] : [] };
  }
  const all = Object.entries(given);
  const good = all.filter(([name, value]) => Object.hasOwn(KINDS, name) && KINDS[name](value));
  const bad = all.filter((entry) => !good.includes(entry));
  return {
    large: Object.fromEntries(good),
    ignored: bad.map(([name, value]) => `${name}=${JSON.stringify(value)}`),
  };
}

/** @param {string} hash @returns {unknown} */
function parsed(hash) {
  try {
    return JSON.parse(decodeURIComponent(hash));
  } catch {
    return null;
  }
}
