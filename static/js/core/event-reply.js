/** A reply that takes a while: events of progress come first, and closing the connection cancels the work. */

import { eventsOf } from "../lib/event-stream.js";
import { Problem, call } from "./api.js";
import { askTrace } from "./traces.js";

/**
 * @param {string} path
 * @param {RequestInit & {signal: AbortSignal}} init
 * @param {(progress: any) => void} told
 * @returns {Promise<any>} the reply
 * @throws {Problem} and the signal's reason where it was cancelled
 */
export async function eventReply(path, init, told) {
  const headers = { ...init.headers, Accept: "text/event-stream" };
  const { body } = await call(path, { ...init, headers });
  try {
    for await (const { event, data } of eventsOf(/** @type {ReadableStream<Uint8Array>} */ (body))) {
      if (event === "progress") told(data);
      if (event === "reply") return data;
      if (event === "problem") throw new Problem(data);
    }
  } catch (cause) {
    if (init.signal.aborted || cause instanceof Problem) throw cause;
  }
  throw new Problem({}); // the server went away in the middle
}

/**
 * The same for a part of a trace. If the server has evicted the trace, its question creates it anew.
 * @param {string} path below a trace
 * @param {Record<string, unknown>} question
 * @param {(progress: any) => void} told
 * @param {AbortSignal} signal which cancels the work, on the server too
 * @returns {Promise<any>} the reply
 */
export const recalledEvents = (path, question, told, signal) =>
  askTrace(() => eventReply(path, { signal }, told), question, signal);
