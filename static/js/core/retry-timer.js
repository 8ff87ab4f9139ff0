/**
 * Retries passing failures after 1, 2, 4 … 15 seconds and not before Retry-After. While the server is unreachable,
 * another reply or the browser's event "online" may cut a pause short.
 */

import { nextPause, pauseUntilWoken, wait, wake } from "../lib/retry.js";
import { askAgain } from "./actions.js";
import { failing } from "./api.js";

const LONGEST = 60; // most seconds to wait for a Retry-After

/** @param {string} header Retry-After: seconds or a date */
export const secondsOf = (header) =>
  Math.max(0, Number(header)) || Math.max(0, Math.ceil((Date.parse(header) - Date.now()) / 1000)) || 0;

/** Parts ask again when `attempt` changes. @param {...Store} stores */
export function startRetries(...stores) {
  let pause = 0;
  let waits = false;
  let woken = false;
  /** Problems at the last retry. Unchanged ones are dropped: their parts are hidden and did not ask again. */
  let last = new Map();

  async function go() {
    if (!failing.size) pause = 0;
    if (waits || !failing.size) return;
    waits = true;
    pause = nextPause(pause);
    const problems = [...failing.values()];
    const after = Math.min(LONGEST, Math.max(...problems.map((problem) => secondsOf(problem.after ?? ""))));
    const early = !woken && !after && problems.every(({ code }) => code === "offline");
    woken = Boolean(await (early ? pauseUntilWoken : wait)(1000 * Math.max(pause, after)));
    waits = false;
    for (const [path, problem] of last) if (failing.get(path) === problem) failing.delete(path);
    last = new Map(failing);
    if (!failing.size) pause = 0;
    else for (const store of stores) askAgain(store);
  }

  failing.changed = go;
  globalThis.addEventListener?.("online", wake);
  go();
}
