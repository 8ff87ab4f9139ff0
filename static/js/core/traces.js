import { newest, memoize } from "../lib/newest.js";
import { Problem, call, post, readBody, onProblem } from "./api.js";
import { bodyOf } from "./question.js";

/**
 * @param {string} trace @param {string} stage @param {Record<string, string | number>} place
 * @param {Record<string, unknown>} question @param {AbortSignal} signal
 */
export async function requestCell(trace, stage, place, question, signal) {
  const query = new URLSearchParams(Object.entries(place).map(([name, n]) => [name, String(n)]));
  return fetchOfTrace(`/api/v1/traces/${trace}/cells/${stage}?${query}`, question, signal);
}

/**
 * Asks; if the trace was evicted, posts the question and asks again.
 * @template Found @param {() => Promise<Found>} ask @param {Record<string, unknown>} question
 * @param {AbortSignal} [signal]
 */
export async function askTrace(ask, question, signal) {
  try {
    return await ask();
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.code !== "unknown_trace") throw problem;
    await call("/api/v1/traces", post(question, signal));
    return ask();
  }
}

/**
 * @param {string} path @param {Record<string, unknown>} question @param {AbortSignal} signal
 * @param {(response: Response) => Promise<any>} [read]
 */
export const fetchOfTrace = (path, question, signal, read = (response) => response.json()) =>
  askTrace(async () => readBody(read(await call(path, { signal })), signal), question, signal);

/**
 * @param {string} trace @param {Record<"tokens" | "temperature" | "seed" | "top_k", number | null>} how
 * @param {Record<string, unknown>} question @returns {Promise<Replies.Continuation>}
 */
export async function continuation(trace, how, question) {
  const ask = async () => (await call(`/api/v1/traces/${trace}/continuations`, post(how))).json();
  return askTrace(ask, question);
}

/** @param {Record<string, unknown>} question @returns {Promise<string>} its trace */
export async function fetchTrace(question) {
  return (await (await call("/api/v1/traces", post(question))).json()).trace;
}

/** Last layer, head 0, text 0. @param {Record<string, unknown>} question @returns {Promise<number[][]>} */
export async function fetchLastWeights(question) {
  const { trace, shape } = await (await call("/api/v1/traces", post(question))).json();
  const path = `/api/v1/traces/${trace}/stages/weights?layer=${shape.num_layers - 1}&head=0&batch=0`;
  return (await (await call(path)).json()).values;
}

/** @param {string} trace */
export async function questionOf(trace) {
  return (await call(`/api/v1/traces/${encodeURIComponent(trace)}/question`)).json();
}

const KEPT = 16;

const partsByPath = memoize(KEPT);
/** @type {ReturnType<typeof memoize<string>>} */
const tracesByQuestion = memoize(KEPT);

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
  return fetchByTrace(await tracesByQuestion(JSON.stringify(body), () => fetchTrace(body)), body, part, query);
}

/**
 * @param {string} trace @param {Record<string, unknown>} body @param {string} part
 * @param {Record<string, string | number>} query
 */
function fetchByTrace(trace, body, part, query) {
  const words = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const path = `/api/v1/traces/${trace}/${part}?${words}`;
  return partsByPath(path, () => fetchOfTrace(path, body, new AbortController().signal));
}

/**
 * @param {string} trace @param {Record<string, unknown>} body
 * @param {Record<string, string | number>} query
 * @returns {Promise<{heads: Metrics[]}>}
 */
export const fetchHeadMetrics = (trace, body, query) => fetchByTrace(trace, body, "heads", query);

/**
 * Asks when the key changes; sets `data-trace` of `parts` for `question/shown-answers.js`.
 * @template Found @param {(found: Found) => void} show @param {(problem: Problem) => void} fail
 * @param {...HTMLElement} parts
 * @returns {(key: string, ask: () => Promise<Found> | Found, of?: string) => Promise<void>} `of`: an `answerKey`
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

/** One request per reader; failed ones can be retried. @template Found @param {(found: Found) => void} show */
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
