/**
 * Asks again for whatever failed for a reason that may pass: one timer a page, after 1, 2, 4 … 15 seconds, not before
 * Retry-After, and at once when the server answers something else or the browser is online again.
 */

import { longer, patience, wait, wake } from "../lib/retry.js";
import { askAgain } from "./actions.js";
import { failing } from "./api.js";

const LONGEST = 60; // seconds of a Retry-After

/** @param {string} header Retry-After, in seconds or as a date; 0: not given */
export const secondsOf = (header) =>
  Math.max(0, Number(header)) || Math.max(0, Math.ceil((Date.parse(header) - Date.now()) / 1000)) || 0;

/** Parts ask again when `attempt` changes. @param {...import("./state.js").Store} stores */
export function startAskingAgain(...stores) {
  let pause = 0;
  let waits = false;
  let woken = false;
  /** Those of the last round; whose part has left the screen do not fail anew. */
  let last = new Map();

  async function go() {
    if (!failing.size) pause = 0;
    if (waits || !failing.size) return;
    waits = true;
    pause = longer(pause);
    const problems = [...failing.values()];
    const after = Math.min(LONGEST, Math.max(...problems.map((problem) => secondsOf(problem.after ?? ""))));
    // After an early round that failed, wait the full time: a server may answer everything but one path.
    const early = !woken && !after && problems.every(({ code }) => code === "offline");
    woken = Boolean(await (early ? patience : wait)(1000 * Math.max(pause, after)));
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
