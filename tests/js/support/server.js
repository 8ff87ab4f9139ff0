/** The server as scripts meet it: what they ask it, and what it replies. */

import { addRoot } from "./root.js";

/** @typedef {{method: string, path: string, body: any, headers: Record<string, string>}} Request */

/** What went wrong, as the server says it. @param {number} status @param {string} code @param {object} [more] */
export const refused = (status, code, more = {}) =>
  new Response(JSON.stringify({ status, code, title: code, detail: `${code} it is`, errors: [], ...more }), {
    status,
    headers: { "Content-Type": "application/problem+json" },
  });

/** No server is there. */
export const offline = () => Promise.reject(new TypeError("fetch failed"));

/** @param {Response | ArrayBuffer | object} found */
function responseOf(found) {
  if (found instanceof Response) return found;
  if (found instanceof ArrayBuffer) return new Response(found);
  return new Response(JSON.stringify(found), { headers: { "Content-Type": "application/json" } });
}

/**
 * Takes the place of the network.
 * @param {(request: Request) => any} reply to each request: bytes, JSON, a Response, or a promise of them
 * @returns {Request[]} what has been asked so far
 */
export function serve(reply) {
  addRoot();
  /** @type {Request[]} */
  const asked = [];
  globalThis.fetch = (path, /** @type {any} */ { method = "GET", body, headers, signal } = {}) => {
    const request = { method, path, headers, body: typeof body === "string" ? JSON.parse(body) : body };
    asked.push(request);
    return new Promise((resolve, reject) => {
      const leave = () => reject(new DOMException("left", "AbortError"));
      if (signal?.aborted) return leave();
      signal?.addEventListener("abort", leave);
      Promise.resolve(reply(request)).then((found) => resolve(responseOf(found)), reject);
    });
  };
  return asked;
}

/** A reply that is given later. */
export function later() {
  /** @type {(found: any) => void} */
  let give = () => undefined;
  const reply = new Promise((resolve) => (give = resolve));
  return { reply, give };
}
