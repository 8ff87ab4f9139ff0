/**
 * Runs several files of tests in one process, one after the other: `node … together.js FILE…`. Each finds
 * the globals as node has them, without the timers that another file left; what they import is loaded once for all.
 * Processes that are given the same files share them: each file is run by the one that takes it first.
 */

import { closeSync, openSync } from "node:fs";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { END } from "./reporter.js";

const own = Object.entries(Object.getOwnPropertyDescriptors(globalThis));
const { clearInterval, clearTimeout, setInterval, setTimeout } = globalThis;

/** Notes every timer that a file starts. @returns {() => void} ends those that still run */
function noteTimers() {
  const timers = new Set();
  const noted =
    (start) =>
    (...all) => {
      const timer = start(...all);
      timers.add(timer);
      return timer;
    };
  Object.assign(globalThis, { setTimeout: noted(setTimeout), setInterval: noted(setInterval) });
  return () => timers.forEach((timer) => (clearTimeout(timer), clearInterval(timer)));
}

function restoreGlobals() {
  const names = new Set(own.map(([name]) => name));
  for (const name of Object.getOwnPropertyNames(globalThis)) if (!names.has(name)) delete globalThis[name];
  for (const [name, descriptor] of own) {
    const { get, value } = Object.getOwnPropertyDescriptor(globalThis, name) ?? {};
    if (get !== descriptor.get || value !== descriptor.value) Object.defineProperty(globalThis, name, descriptor);
  }
}

/** Takes a file, unless another process has. @param {string} file */
function takes(file) {
  try {
    closeSync(openSync(`${process.env.ATTNSCOPE_TAKEN}/${file.replaceAll("/", " ")}`, "wx"));
    return true;
  } catch (/** @type {any} */ error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

for (const file of process.argv.slice(2)) {
  if (!takes(file)) continue;
  const endTimers = noteTimers();
  await import(pathToFileURL(file).href);
  await test(END, () => undefined); // it comes after all tests of the file
  endTimers();
  restoreGlobals();
}
// Open connections of fetch keep node 18 from ending, as long as the server keeps them. This is not awaited: bodies
// that pages of ended tests never read do not come to an end.
/** @type {any} */ (globalThis)[Symbol.for("undici.globalDispatcher.1")]?.close();
