import { newest, memoize } from "../lib/newest.js";
import { onProblem } from "./api.js";
import { fetchTrace, fetchOfTrace } from "./traces.js";
import { bodyOf } from "./question.js";

const KEPT = 16;

const remembered = memoize(KEPT);
/** @type {ReturnType<typeof memoize<string>>} */
const named = memoize(KEPT);

/**
 * @param {State} state with an answer @param {string} part @param {Record<string, string | number>} query
 * @throws {Problem}
 */
export const fetchPart = ({ answer, question }, part, query) =>
  fetchByTrace(answer?.reply.trace ?? "", bodyOf(question), part, query);

/**
 * @param {Question} question @param {string} part @param {Record<string, string | number>} query
 * @throws {Problem}
 */
export async function fetchPartOf(question, part, query) {
  const body = bodyOf(question);
  return fetchByTrace(await named(JSON.stringify(body), () => fetchTrace(body)), body, part, query);
}

/**
 * @param {string} trace @param {Record<string, unknown>} body @param {string} part
 * @param {Record<string, string | number>} query
 */
function fetchByTrace(trace, body, part, query) {
  const words = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const path = `/api/v1/traces/${trace}/${part}?${words}`;
  return remembered(path, () => fetchOfTrace(path, body, new AbortController().signal));
}

/**
 * @param {string} trace @param {Record<string, unknown>} body
 * @param {Record<string, string | number>} query
 * @returns {Promise<{heads: Metrics[]}>}
 */
export const headsOf = (trace, body, query) => fetchByTrace(trace, body, "heads", query);

/**
 * Asks when the key changes; marks `parts` with their answer for `question/shown-answers.js`.
 * @template Found @param {(found: Found) => void} show @param {(problem: Problem) => void} fail
 * @param {...HTMLElement} parts
 * @returns {(key: string, ask: () => Promise<Found> | Found, of?: string) => Promise<void>} `of`: see `answerOf`
 */
export function keyedRequest(show, fail, ...parts) {
  let asked = "";
  /** @template Reply @param {(reply: Reply) => void} show @returns {(reply: Reply) => void} */
  const named = (show) => (reply) => {
    for (const part of parts) part.dataset.trace = asked;
    show(reply);
  };
  const { want } = newest(named(show), onProblem(named(fail)));
  return (key, ask, of = "") =>
    want(key, () => {
      asked = of;
      return ask();
    });
}

/** Sends a failed request again when it is next wanted. @template Found @param {(found: Found) => void} show */
export function requestsByReader(show) {
  /** @type {Map<string, ReturnType<typeof newest<Found>>>} */
  const requests = new Map();
  return (/** @type {string} */ reader) => {
    const known = requests.get(reader);
    if (known) return known;
    const failed = onProblem(() => made.drop());
    const made = newest(show, failed);
    requests.set(reader, made);
    return made;
  };
}

/** @param {State} state with an answer */
export const answerKey = ({ answer, view }) => `${answer?.reply.trace} batch=${view.batch}`;
