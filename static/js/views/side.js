/** One of two questions: its sentence, its options, and what has to be said about its answer. */

import { fill, h } from "../lib/dom.js";
import { options } from "./options.js";
import { sentence } from "./sentence.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/state.js").Store} Store */

/**
 * @param {HTMLElement} root
 * @param {Store} store
 * @param {string} name
 * @returns {import("../data/state.js").Part}
 */
export function side(root, store, name) {
  const [text, fields] = [h("div", { class: "sentence", "data-side": name }), h("div", { class: "options" })];
  const said = h("div", { class: "notice", role: "status" });
  fields.setAttribute("role", "group");
  fields.setAttribute("aria-label", store.t("options.label"));
  root.append(h("h2", {}, h("span", { class: "letter" }, name.toUpperCase())), text, fields, said);
  const parts = [sentence(text, store), options(fields, store)];
  return {
    update(state, previous) {
      for (const part of parts) part.update(state, previous);
      if (state.status === previous.status && state.problem === previous.problem) return;
      root.dataset.status = state.status;
      const words = sayings(store, state);
      said.className = words.length ? `notice ${state.status}` : "notice";
      fill(said, words);
    },
    destroy() {
      for (const part of parts) part.destroy();
      root.replaceChildren();
    },
  };
}

/** @param {Store} store @param {State} state */
function sayings({ t, get, set }, { status, problem, answer }) {
  if (status === "empty" || status === "no_upload")
    return [h("strong", {}, t(`${status}.title`)), h("span", {}, t(`${status}.about`))];
  if (status !== "failed" || !problem) return [];
  const offline = problem.code === "offline";
  const again = () => set({ attempt: get().attempt + 1 }, { silent: true });
  return [
    h("strong", {}, offline ? t("problem.offline_title") : problem.title),
    h("span", {}, offline ? t("problem.offline") : problem.message),
    answer && h("span", { class: "muted" }, t("problem.kept")),
    (offline || problem.status === 429 || problem.status >= 500) &&
      h("button", { type: "button", class: "button", onclick: again }, t("problem.again")),
  ];
}
