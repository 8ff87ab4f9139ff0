/** Runs the scripts of static/js in a window of jsdom, each page with modules of its own. */

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

export const SCRIPTS = new URL("../../../static/js/", import.meta.url).href;

/** @type {Map<string, Promise<string>>} */
const texts = new Map();

/** @param {string} url of a file */
export function textOf(url) {
  if (!texts.has(url)) texts.set(url, readFile(fileURLToPath(url), "utf8"));
  return texts.get(url);
}

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
 * @returns {(url: string) => Promise<object>} runs a module with all it imports
 */
export function moduleLoader(context, later) {
  /** @type {Map<string, Promise<vm.SourceTextModule>>} */
  const modules = new Map();
  let linking = Promise.resolve();
  const stay = () => later.left() && new Promise(() => undefined);
  const relative = (name, { identifier }) => moduleOf(new URL(name, identifier).href);

  function moduleOf(url) {
    if (!modules.has(url)) modules.set(url, make(url));
    return modules.get(url);
  }

  async function make(url) {
    const importModuleDynamically = async (name, from) => {
      const { href, pathname } = new URL(name, from.identifier);
      if (!modules.has(href)) await later.coming(pathname).catch(failed);
      const found = await moduleOf(href);
      await stay();
      const module = await run(found);
      await stay();
      later.came(pathname);
      return module;
    };
    const initializeImportMeta = (meta) => (meta.url = url);
    const how = { context, identifier: url, importModuleDynamically, initializeImportMeta };
    return new vm.SourceTextModule(await textOf(url), how);
  }

  /** As browsers say that a script did not come. */
  function failed() {
    const Failure = vm.runInContext("TypeError", context);
    throw new Failure("Failed to fetch dynamically imported module");
  }

  async function run(module) {
    // One at a time: two that are linked at once may share modules.
    await (linking = linking.then(() => module.status === "unlinked" && module.link(relative)));
    await module.evaluate();
    return module;
  }

  return async (url) => run(await moduleOf(url));
}
