import { pageAddress } from "../core/page-address.js";
import { find, h } from "../lib/dom.js";

const NAMED = 3;
const MODELS = "/models";

/** @param {string} message */
function withLink(message) {
  const parts = message.split(MODELS);
  return parts.flatMap((part, at) => (at ? [h("a", { href: pageAddress(MODELS) }, MODELS), part] : [part]));
}

/** @param {File[]} files */
export function namesOf(files) {
  const names = files.slice(0, NAMED).map(({ name }) => name);
  return names.join(", ") + (files.length > NAMED ? " …" : "");
}

/** @param {Store} store */
export function refusal(store) {
  const { uploadProblem, files } = store.get();
  if (!uploadProblem) return [];
  return [
    ...(files.length ? [h("b", {}, namesOf(files))] : []),
    h("strong", {}, uploadProblem.title),
    h("span", { class: "error" }, withLink(uploadProblem.message || store.t("problem.offline"))),
    closeButton(store),
  ];
}

/** Button that closes a message and restores the focus. @param {Store} store @param {Partial<State>} [more] */
export function closeButton(store, more) {
  const before = document.activeElement;
  function close() {
    const back = before instanceof HTMLElement && before !== document.body && before.isConnected;
    (back ? before : find("#main")).focus({ preventScroll: true });
    store.set({ ...more, uploadProblem: null }, { silent: true });
  }
  return h("button", { type: "button", class: "close", "aria-label": store.t("dialog.close"), onclick: close }, "✕");
}
