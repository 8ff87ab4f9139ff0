/** Keeps the pair in the address and the browser history. */

import { readAddress, writeAddress } from "../core/address/address.js";
import { DEFAULT_VIEW } from "../core/address/fields.js";
import { isTooLong, isVast, keep, findKept, flush, keptName } from "../core/address/long-questions.js";
import { fetchQuestion } from "../core/address/short-link.js";
import { Problem } from "../core/api.js";
import { asQuestion } from "../core/question.js";
import { initialState } from "../core/state.js";
import { SIDES } from "./pair.js";
import { isBare, readPair, writePair } from "./pair-address.js";

/** @import {Comparison, PairStore} from "./pair.js" */

const PARAMETERS = ["a.t", "b.t"];

/** Fetches questions that the address names by trace, except those that fail to load. @param {Page} page */
export async function fetchNamed(page) {
  const query = new URLSearchParams(location.search);
  for (const name of PARAMETERS) {
    const trace = query.get(name);
    if (!trace || findKept(trace)) continue;
    try {
      keep(asQuestion(page, await fetchQuestion(trace)), trace);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }
}

/**
 * Keeps a question too long for the address under a name: its trace, once known.
 * @param {Question} question @param {string | undefined} trace @param {Page} page @returns whether the name changed
 */
export function keepLong(question, trace, page) {
  const url = new URL("/", location.href);
  const { view } = readAddress(url, page);
  const known = keptName(question);
  if (!known && !isVast(question) && !isTooLong(writeAddress({ question, view }, url, page))) return false;
  return keep(question, trace) !== known;
}

/** @param {Page} page @returns {Comparison} */
export function initialComparison(page) {
  const state = { ...initialState(page), view: DEFAULT_VIEW, ignored: [] };
  const { a, b, ignored, ...looked } = readPair(new URL(location.href), page);
  return {
    a: { ...state, question: a, ignored: ignored.a },
    b: { ...state, question: b, ignored: ignored.b },
    ...looked,
    hover: null,
    theme: state.theme,
  };
}

/** @param {Comparison} state @param {Page} page */
function addressOf({ a, b, view, align, of }, page) {
  return writePair({ a: a.question, b: b.question, view, align, of }, new URL(location.href), page);
}

/** @param {PairStore} store */
export function bindPair(store) {
  store.subscribe((state, previous, how) => writeState(store, state, previous, how));
  store.subscribe((state, previous) => nameLong(store, state, previous));
  window.addEventListener("popstate", () => readState(store));
  window.addEventListener("pagehide", flush);
  tidyAddress(store);
}

/** @param {PairStore} store */
function tidyAddress(store) {
  const state = store.get();
  const ignored = SIDES.some((side) => state[side].ignored.length);
  if (!ignored && !isBare(new URL(location.href))) return;
  history.replaceState(null, "", addressOf(state, store.page));
}

/**
 * @param {PairStore} store @param {Comparison} state @param {Comparison} previous
 * @param {How} how
 */
function writeState({ page }, state, previous, how) {
  const asked = SIDES.some((side) => state[side].question !== previous[side].question);
  const looked = /** @type {const} */ (["view", "align", "of"]).some((name) => state[name] !== previous[name]);
  if (how.silent || !(asked || looked)) return;
  if (asked) for (const side of SIDES) keepLong(state[side].question, undefined, page);
  const address = addressOf(state, page);
  if (address === location.pathname + location.search + location.hash) return;
  history[how.replace ? "replaceState" : "pushState"](null, "", address);
}

/** @param {PairStore} store @param {Comparison} state @param {Comparison} previous */
function nameLong({ page }, state, previous) {
  const answered = SIDES.filter((side) => state[side].answer !== previous[side].answer);
  const named = answered.filter((side) => {
    const { question, answer } = state[side];
    return answer && keptName(question) && keepLong(question, answer.reply.trace, page);
  });
  if (named.length) history.replaceState(null, "", addressOf(state, page));
}

/** @param {PairStore} store */
async function readState(store) {
  await fetchNamed(store.page);
  const { a, b, ignored, ...looked } = readPair(new URL(location.href), store.page);
  const now = store.get();
  const sides = { a: { ...now.a, question: a, ignored: ignored.a }, b: { ...now.b, question: b, ignored: ignored.b } };
  store.set({ ...sides, ...looked }, { silent: true });
  tidyAddress(store);
}
