/** Why files that were sent are not used: said until the next ones are sent, or it is closed. */

import { find, h } from "../lib/dom.js";

const NAMED = 3; // files of a refusal

/** The names of files, the first of many. @param {File[]} files */
export function namesOf(files) {
  const names = files.slice(0, NAMED).map(({ name }) => name);
  return names.join(", ") + (files.length > NAMED ? " …" : "");
}

/**
 * What was refused, why, and a button that closes it; from there the focus goes back to where it was.
 * @param {import("../core/state.js").Store} store
 * @returns {HTMLElement[]}
 */
export function refusal(store) {
  const { t } = store;
  const { uploadProblem, files } = store.get();
  if (!uploadProblem) return [];
  const before = document.activeElement;
  function close() {
    const back = before instanceof HTMLElement && before !== document.body && before.isConnected;
    (back ? before : find("#main")).focus({ preventScroll: true });
    store.set({ uploadProblem: null }, { silent: true });
  }
  return [
    ...(files.length ? [h("b", {}, namesOf(files))] : []),
    h("strong", {}, uploadProblem.title),
    h("span", { class: "error" }, uploadProblem.message || t("problem.offline")),
    h("button", { type: "button", class: "close", "aria-label": t("dialog.close"), onclick: close }, "✕"),
  ];
}
