/** Only this module calls `fetch`. */

import { wait, wake } from "../lib/retry.js";
import { readPage } from "./page.js";

/** An error reply. `code` is "offline" if the server did not reply. */
export class Problem extends Error {
  /**
   * @param {{title?: string, detail?: string, status?: number, code?: string, after?: string | null, errors?: {at: string | null, message: string, end?: number, accept?: string[]}[]}} body
   */
  constructor(body) {
    super(body.detail ?? body.title ?? "");
    this.title = body.title ?? "";
    this.status = body.status ?? 0;
    this.passing = !this.status || this.status === 429 || this.status > 501;
    // Errors of proxies have no code.
    this.code = body.code ?? (this.passing ? "offline" : "unknown");
    if (this.code === "offline") this.message = "";
    this.errors = body.errors ?? [];
    this.after = body.after; // Retry-After
  }
}

/** @param {(problem: Problem) => void} tell @returns {(error: unknown) => void} */
export const onProblem = (tell) => (error) => {
  if (!(error instanceof Problem)) throw error;
  tell(error);
};

const API = "/api/v1/";
const TRACES = `${API}traces/`;
const TRIES = 4;
const LONGEST = 15; // seconds; a longer Retry-After is an error
export const SESSION = "session"; // event when a session starts or ends
/** Passing problems by path; `retry-timer.js` retries them. */
export const failing = Object.assign(/** @type {Map<string, Problem>} */ (new Map()), { changed() {} });
let known = true;
export const isKnown = () => known;
export const language = () => readPage().lang || "en";

/** Adds the release to trace URLs, as browsers cache their replies. @param {string} path @param {string} [method] */
function withRelease(path, method = "GET") {
  const { release } = readPage();
  if (method !== "GET" || !release || !path.startsWith(TRACES)) return path;
  return `${path}${path.includes("?") ? "&" : "?"}release=${encodeURIComponent(release)}`;
}

/** @type {typeof fetch} */
export const request = (path, init) => fetch(path, init);

/** @param {string} path @param {ConstructorParameters<typeof Problem>[0]} [body] */
export function problemAt(path, body = {}) {
  const problem = new Problem(body);
  if (problem.passing && path.startsWith(API)) {
    failing.set(path, problem);
    failing.changed();
  }
  return problem;
}

/**
 * If our server replies 429 or 503, retries after Retry-After, up to three times.
 * @param {string} path @param {RequestInit} [init] @throws {Problem}
 */
export async function call(path, init = {}) {
  const headers = { "Accept-Language": language(), ...init.headers };
  const own = path.startsWith(API);
  for (let tries = 1; ; tries++) {
    let response;
    try {
      response = await request(withRelease(path, init.method), { ...init, headers });
    } catch (cause) {
      if (init.signal?.aborted) throw cause;
      throw problemAt(path);
    }
    if (own) noteSession(response.status !== 401);
    if (response.ok) {
      failing.delete(path);
      if (own) wake();
      failing.changed();
      return response;
    }
    const { status, statusText } = response;
    const after = response.headers.get("Retry-After");
    const pause = Number(after) || tries;
    const body = await response.json().catch(() => null);
    const waits = body?.code && (status === 429 || status === 503);
    if (!waits || tries === TRIES || pause > LONGEST)
      throw problemAt(path, { detail: statusText, ...body, status, after });
    await wait(1000 * pause);
    init.signal?.throwIfAborted();
  }
}

/** @param {boolean} now */
function noteSession(now) {
  if (now === known) return;
  known = now;
  document.dispatchEvent(new CustomEvent(SESSION, { detail: known }));
}

export async function isReplaced() {
  const { src } = /** @type {HTMLScriptElement} */ (document.querySelector("script[type=module]"));
  try {
    await call(src, { method: "HEAD", cache: "no-store" });
    return false;
  } catch (problem) {
    return problem instanceof Problem && problem.status === 404;
  }
}

/** @template Body @param {Promise<Body>} body @param {AbortSignal} signal @throws {Problem} if the connection closes */
export async function readBody(body, signal) {
  try {
    return await body;
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw problemAt(API);
  }
}

/** @param {unknown} body @param {AbortSignal} [signal] */
export function post(body, signal) {
  const headers = { "Content-Type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(body), signal };
}

/** @param {Record<string, unknown>} body @param {AbortSignal} signal @returns safetensors */
export async function attention(body, signal) {
  const init = post(body, signal);
  const headers = { ...init.headers, Accept: "application/x-safetensors" };
  const response = await call("/api/v1/attention", { ...init, headers });
  return readBody(response.arrayBuffer(), signal);
}
