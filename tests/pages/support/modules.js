/**
 * Runs the scripts of static/js in a window of jsdom, each page with modules of its own. A module becomes a function
 * that is compiled once for all pages: what V8 compiles of `vm.SourceTextModule` serves one page alone, and node keeps
 * each of these modules, with its window, for ever. The scripts import in no circle (`tests/test_house.py`), and nothing
 * that is exported is assigned again: the values that a module has exported in the end are all that its importers need.
 */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

export const SCRIPTS = new URL("../../../static/js/", import.meta.url).href;

const IMPORT = /^import (\{[^}]*\}) from ("[^"]+");/gm;
const EXPORT = /^export (?=(?:async function|function|class|const)\*? (\w+))/gm;
const PASSED_ON = /^export (\{[^}]*\}) from ("[^"]+");/gm;
const NAMES = /(\w+)(?: as (\w+))?/g;

/** @type {Map<string, vm.Script>} */
const compiled = new Map();

/** @param {string} text of a module @returns {string} an expression: its function */
function functionOf(text) {
  const exported = [...text.matchAll(EXPORT)].map(([, name]) => name);
  for (const [, names] of text.matchAll(PASSED_ON))
    for (const [, name, as = name] of names.matchAll(NAMES)) exported.push(as);
  const required = (_, names, from) => `const ${names.replaceAll(" as ", ": ")} = $require(${from});`;
  const body = text
    .replace(IMPORT, required)
    .replace(PASSED_ON, required)
    .replace(EXPORT, "")
    .replace(/\bimport\(/g, "$import(");
  const other = /^(?:import|export)\b.*/m.exec(body);
  if (other) throw new Error(`an import or export of another form: ${other[0]}`);
  const waits = /^await /m.test(body) ? "async " : "";
  return `(${waits}function ($require, $import) { "use strict"; ${body}\nreturn { ${exported} };\n})`;
}

/** @param {string} url @param {(text: string) => string} [change] of its text */
function scriptOf(url, change = (text) => text) {
  if (!compiled.has(url)) {
    const text = readFileSync(fileURLToPath(url), "utf8");
    compiled.set(url, new vm.Script(change(text), { filename: url }));
  }
  return compiled.get(url);
}

/** Runs a script that is no module. @param {string} url @param {import("node:vm").Context} context */
export const runPlain = (url, context) => scriptOf(url).runInContext(context);

/**
 * What a page does with the scripts it imports later.
 * @typedef {Object} Later
 * @property {(path: string) => Promise<unknown>} coming waits for a script, and fails where it is lost
 * @property {(path: string) => void} came called once a script has run
 * @property {() => boolean} left whether the page was left meanwhile: then its scripts go no further
 */

/**
 * @param {import("node:vm").Context} context
 * @param {Later} later
 * @returns {(url: string) => any} runs a module with all it imports: what it exports, or a promise of it
 */
export function moduleLoader(context, later) {
  /** @type {Map<string, any>} what has been exported, by the URLs of modules */
  const modules = new Map();
  const stay = () => later.left() && new Promise(() => undefined);

  function run(url) {
    if (!modules.has(url)) {
      const required = (name) => run(new URL(name, url).href);
      modules.set(
        url,
        scriptOf(url, functionOf).runInContext(context)(required, (name) => imported(new URL(name, url))),
      );
    }
    return modules.get(url);
  }

  /** @param {URL} url */
  async function imported({ href, pathname }) {
    if (!modules.has(href)) await later.coming(pathname).catch(failed);
    await stay();
    const module = await run(href);
    await stay();
    later.came(pathname);
    return module;
  }

  /** As browsers say that a script did not come. */
  function failed() {
    const Failure = vm.runInContext("TypeError", context);
    throw new Failure("Failed to fetch dynamically imported module");
  }

  return run;
}
