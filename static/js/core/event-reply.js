/** Reads progress events until the reply. Closing the connection stops the server's work. */

import { eventsOf } from "../lib/event-stream.js";
import { Problem, call, problemAt } from "./api.js";
import { askTrace } from "./traces.js";

/**
 * @param {string} path @param {RequestInit & {signal: AbortSignal}} init @param {(progress: any) => void} onProgress
 * @throws {Problem}
 */
export async function eventReply(path, init, onProgress) {
  const headers = { ...init.headers, Accept: "text/event-stream" };
  const { body } = await call(path, { ...init, headers });
  try {
    for await (const { event, data } of eventsOf(/** @type {ReadableStream<Uint8Array>} */ (body))) {
      if (event === "progress") onProgress(data);
      if (event === "reply") return data;
      if (event === "problem") throw problemAt(path, data);
    }
  } catch (cause) {
    if (init.signal.aborted || cause instanceof Problem) throw cause;
  }
  throw problemAt(path); // the connection closed before the reply
}

/**
 * @param {string} path @param {Record<string, unknown>} question @param {(progress: any) => void} onProgress
 * @param {AbortSignal} signal
 */
export const eventsOfTrace = (path, question, onProgress, signal) =>
  askTrace(() => eventReply(path, { signal }, onProgress), question, signal);
