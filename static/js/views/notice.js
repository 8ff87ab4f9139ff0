/** What a person has to know now: nothing asked yet, still computing, or why there is no answer. */

import { open } from "../data/actions.js";
import { fill, h } from "../lib/dom.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/state.js").Store} Store */

/** @type {import("../data/state.js").ViewOf} */
export function notice(root, store) {
  root.setAttribute("role", "status");
  return {
    update(state, previous) {
      if (state.status === previous.status && state.problem === previous.problem) return;
      document.body.dataset.status = state.status;
      document.body.toggleAttribute("data-stale", state.status === "failed" && state.answer !== null);
      document.body.toggleAttribute("data-answered", state.answer !== null);
      const said = state.status === "failed" && state.answer !== null && saidBesideField(state);
      root.className = said ? "notice" : `notice ${state.status}`;
      fill(root, said ? [] : words(store, state));
    },
    destroy: () => root.replaceChildren(),
  };
}

/**
 * Whether the refusal stands beside a field that is in sight.
 * @param {State} state
 */
function saidBesideField({ problem }) {
  const fields = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-field]"));
  const seen = new Set([...fields].filter((field) => field.offsetParent).map((field) => field.dataset.field));
  return problem?.errors.some(({ at }) => seen.has(at ?? "")) ?? false;
}

/** @param {Store} store @param {State} state */
function words(store, state) {
  const { t, page } = store;
  if (state.status === "empty") {
    const suggest = () => open(store, { text: page.defaults.text });
    return [
      h("strong", {}, t("empty.title")),
      h("span", {}, t("empty.about")),
      h("button", { class: "button", onclick: suggest }, t("empty.suggest")),
    ];
  }
  if (state.status === "no_upload")
    return [h("strong", {}, t("no_upload.title")), h("span", {}, t("no_upload.about"))];
  if (state.status !== "failed" || !state.problem) return [];
  const again = () => store.set({ attempt: store.get().attempt + 1 }, { silent: true });
  const offline = state.problem.code === "offline";
  const passing = offline || state.problem.status === 429 || state.problem.status >= 500;
  const kept = state.answer ? t("problem.kept") : "";
  return [
    h("strong", {}, offline ? t("problem.offline_title") : state.problem.title),
    h(
      "span",
      {},
      offline ? t("problem.offline") : state.problem.message,
      " ",
      h("span", { class: "muted" }, kept),
    ),
    passing && h("button", { class: "button", onclick: again }, t("problem.again")),
  ];
}
