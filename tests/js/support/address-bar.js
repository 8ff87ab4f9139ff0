/** The address of a page with its history, and the tab's storage: as much of them as scripts use. */

import { addRoot } from "./root.js";

class Storage {
  setItem(name, text) {
    this[name] = text;
  }

  getItem(name) {
    return Object.hasOwn(this, name) ? this[name] : null;
  }

  removeItem(name) {
    delete this[name];
  }
}

/**
 * Opens a new page at an address.
 * @param {string} address
 * @returns what a person could see of it: every address of the history
 */
export function openAddress(address) {
  addRoot();
  const here = new URL(address, "http://attnscope.test");
  const bar = { entries: [here.href], at: 0 };
  const go = (href) => (here.href = new URL(href, here).href);
  const listeners = new Map();
  const history = {
    pushState(_state, _title, href) {
      bar.entries = [...bar.entries.slice(0, bar.at + 1), go(href)];
      bar.at += 1;
    },
    replaceState(_state, _title, href) {
      bar.entries[bar.at] = go(href);
    },
  };
  const addEventListener = (name, listener) => listeners.set(name, listener);
  const window = { addEventListener, setTimeout: (...all) => setTimeout(...all), devicePixelRatio: 1 };
  Object.assign(globalThis, { location: here, history, window });
  globalThis.sessionStorage ??= new Storage();
  return {
    get href() {
      return here.href.replace(here.origin, "");
    },
    get entries() {
      return bar.entries.map((each) => each.replace(here.origin, ""));
    },
    /** Back by −1, forward by 1. @param {number} by */
    walk(by) {
      bar.at += by;
      here.href = bar.entries[bar.at];
      return listeners.get("popstate")?.({ type: "popstate" });
    },
  };
}
