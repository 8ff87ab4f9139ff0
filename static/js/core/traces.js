import { Problem, call, post, readBody } from "./api.js";

/**
 * @param {string} trace @param {string} stage @param {Record<string, string | number>} place
 * @param {Record<string, unknown>} question @param {AbortSignal} signal
 */
export async function requestCell(trace, stage, place, question, signal) {
  const query = new URLSearchParams(Object.entries(place).map(([name, n]) => [name, String(n)]));
  return fetchOfTrace(`/api/v1/traces/${trace}/cells/${stage}?${query}`, question, signal);
}

/**
 * Posts the question and asks again if the server has evicted its trace.
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

/** @param {Record<string, unknown>} question @returns {Promise<number[][]>} */
export async function lastWeights(question) {
  const { trace, shape } = await (await call("/api/v1/traces", post(question))).json();
  const path = `/api/v1/traces/${trace}/stages/weights?layer=${shape.num_layers - 1}&head=0&batch=0`;
  return (await (await call(path)).json()).values;
}

/** @param {string} trace */
export async function questionOf(trace) {
  return (await call(`/api/v1/traces/${encodeURIComponent(trace)}/question`)).json();
}
