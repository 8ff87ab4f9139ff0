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
 * @param {import("node:vm").Context} context
 * @returns {(url: string) => Promise<object>} runs a module with all it imports
 */
export function moduleLoader(context) {
  /** @type {Map<string, Promise<vm.SourceTextModule>>} */
  const modules = new Map();
  let linking = Promise.resolve();
  const relative = (name, { identifier }) => moduleOf(new URL(name, identifier).href);

  function moduleOf(url) {
    if (!modules.has(url)) modules.set(url, make(url));
    return modules.get(url);
  }

  async function make(url) {
    const importModuleDynamically = async (name, from) => run(await relative(name, from));
    const initializeImportMeta = (meta) => (meta.url = url);
    const how = { context, identifier: url, importModuleDynamically, initializeImportMeta };
    return new vm.SourceTextModule(await textOf(url), how);
  }

  async function run(module) {
    // One at a time: two that are linked at once may share modules.
    await (linking = linking.then(() => module.status === "unlinked" && module.link(relative)));
    await module.evaluate();
    return module;
  }

  return async (url) => run(await moduleOf(url));
}
