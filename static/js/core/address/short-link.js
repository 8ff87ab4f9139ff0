import { retry } from "../../lib/retry.js";
import { readAddress, writeAddress } from "./address.js";
import { DEFAULT_VIEW } from "./fields.js";
import { Problem } from "../api.js";
import { questionOf } from "../traces.js";
import { isTooLong, keep } from "./long-questions.js";
import { asQuestion } from "../question.js";

/** @param {State} state @param {string} trace @param {Page} page */
export function shortLink({ view }, trace, page) {
  const plain = asQuestion(page, {});
  const origin = new URL("/", location.href);
  const url = new URL(writeAddress({ question: plain, view }, origin, { ...page, first: null }), location.href);
  const rest = url.search.slice(1);
  return `${url.origin}/?t=${trace}${rest && "&"}${rest}`;
}

const AGAIN = 3;

/** @param {string} trace */
export function fetchQuestion(trace) {
  const goesOn = (/** @type {unknown} */ error, /** @type {number} */ tries) =>
    tries <= AGAIN && error instanceof Problem && error.passing;
  return retry(() => questionOf(trace), goesOn);
}

/**
 * Replaces the trace in the address by its question, unless that makes it too long.
 * @param {Page} page @returns the failure, else null
 */
export async function openShared(page) {
  const { href } = location;
  const url = new URL(href);
  const trace = url.searchParams.get("t");
  if (trace === null) return null; // the address changed meanwhile
  url.searchParams.delete("t");
  try {
    const question = asQuestion(page, await fetchQuestion(trace));
    if (location.href !== href) return null;
    const { view } = readAddress(url, { ...page, first: null });
    if (isTooLong(writeAddress({ question, view }, url, page))) keep(question, trace);
    history.replaceState(null, "", writeAddress({ question, view }, url, page));
    return null;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (location.href !== href) return null;
    history.replaceState(null, "", writeAddress({ question: asQuestion(page, {}), view: DEFAULT_VIEW }, url, page));
    return error;
  }
}
