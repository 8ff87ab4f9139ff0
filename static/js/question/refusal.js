/** Why files that were sent are not used: said until the next ones are sent, or it is closed. */

import { find, h } from "../lib/dom.js";

/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Store} Store */

const NAMED = 3; // files of a refusal

/** The names of files, the first of many. @param {File[]} files */
export function namesOf(files) {
  const names = files.slice(0, NAMED).map(({ name }) => name);
  return names.join(", ") + (files.length > NAMED ? " …" : "");
}

/**
 * What was refused, why, and a button that closes it.
 * @param {Store} store
 * @returns {HTMLElement[]}
 */
export function refusal(store) {
  const { uploadProblem, files } = store.get();
  if (!uploadProblem) return [];
  return [
    ...(files.length ? [h("b", {}, namesOf(files))] : []),
    h("strong", {}, uploadProblem.title),
    h("span", { class: "error" }, uploadProblem.message || store.t("problem.offline")),
    closing(store),
  ];
}

/**
 * A button that closes a message about files and restores the focus.
 * @param {Store} store
 * @param {Partial<State>} [more] that is over with it
 */
export function closing(store, more) {
  const before = document.activeElement;
  function close() {
    const back = before instanceof HTMLElement && before !== document.body && before.isConnected;
    (back ? before : find("#main")).focus({ preventScroll: true });
    store.set({ ...more, uploadProblem: null }, { silent: true });
  }
  return h("button", { type: "button", class: "close", "aria-label": store.t("dialog.close"), onclick: close }, "✕");
}
