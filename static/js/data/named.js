/** The sides of a comparison whose question the address only names: too long for it, they are kept by their trace. */

import { readAddress, writeAddress } from "./address.js";
import { Problem, questionOf } from "./api.js";
import { isTooLong, keep, keptAs, nameOfKept } from "./kept.js";
import { merged } from "./question.js";

/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./question.js").Question} Question */

const PARAMETERS = ["a.t", "b.t"];

/**
 * Fetches what the present address names and this page does not know yet. What cannot be had is left
 * out later, like whatever means nothing.
 * @param {Page} page
 */
export async function fetchNamed(page) {
  const query = new URLSearchParams(location.search);
  for (const name of PARAMETERS) {
    const trace = query.get(name);
    if (!trace || keptAs(trace)) continue;
    try {
      keep(merged(page, await questionOf(trace)), trace);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }
}

/**
 * Keeps a question that is too long for an address, under its trace as soon as that is known.
 * @param {Question} question
 * @param {string | undefined} trace
 * @param {Page} page
 * @returns {boolean} whether it has another name than before
 */
export function keepLong(question, trace, page) {
  const url = new URL("/", location.href);
  const { view } = readAddress(url, page);
  const known = nameOfKept(question);
  if (!known && !isTooLong(writeAddress({ question, view }, url, page))) return false;
  return keep(question, trace) !== known;
}
