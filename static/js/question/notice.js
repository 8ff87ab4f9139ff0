import { askAgain } from "../core/actions.js";
import { outageOf } from "../core/retrying.js";
import { asksHeadCount, isAsking, isBare } from "../core/state.js";
import { fill, h, isVisible } from "../lib/dom.js";
import { lazyLoad } from "../lib/load.js";
import { fieldsReady } from "./drawer.js";

/** @type {(keyof State)[]} */
const SHOWN_FIELDS = [
  "status",
  "problem",
  "replaced",
  "unexplained",
  "unchanged",
  "ignored",
  "uploading",
  "uploadProblem",
];

/** @type {ViewOf} */
export function notice(root, store) {
  let said = "";
  /** @type {Promise<typeof import("./other-notices.js")> | null} */
  let coming = null;
  /** @type {typeof import("./other-notices.js") | null} */
  let asides = null;
  root.setAttribute("role", "status");

  async function bring() {
    asides = await (coming ??= lazyLoad(() => import("./other-notices.js")));
    draw(store.get());
  }

  async function leadOn() {
    // Wait for fields too: a button may open one.
    const [{ repairs }] = await Promise.all([lazyLoad(() => import("./repairs.js")), fieldsReady()]);
    root.querySelector(".ways-on")?.remove();
    if (isBare(store.get()) && said) root.append(repairs(store));
  }

  /** @param {State} state */
  function draw(state) {
    const status = statusOf(state);
    const asks = asksHeadCount(state);
    markPage(state, status);
    const beside = state.answer !== null && (asks || (status === "failed" && isShownAtField(state)));
    const kind = beside ? "" : outageOf(state) ? "failed offline" : status;
    const dropped = asides?.fileMessages(store, state) ?? [];
    const classes = ["notice", kind, state.replaced && "replaced", dropped.length > 1 && "refused"];
    root.className = classes.filter(Boolean).join(" ");
    // Screen readers must not announce an error of a field twice.
    const words = [
      ...(beside ? [] : wordsOf(store, state, status)),
      ...dropped,
      ...(asides?.otherMessages(store, state) ?? []),
      ...replacedWords(store, state),
    ];
    const text = words.map((word) => word.textContent).join("\n");
    if (text !== said) fill(root, ...words.flatMap((word) => [word, " "]));
    if (text && text !== said && isBare(state)) leadOn();
    said = text;
  }

  return {
    update(state, previous) {
      if (previous && SHOWN_FIELDS.every((name) => state[name] === previous[name])) return;
      const { unchanged, ignored, uploading, uploadProblem, status } = state;
      if (!coming && (/empty|upload/.test(status) || unchanged || uploading || uploadProblem || ignored.length))
        bring();
      draw(state);
    },
    destroy: () => root.replaceChildren(),
  };
}

/** Marks the body for style sheets and tests. @param {State} state @param {State["status"]} status */
function markPage(state, status) {
  const { body } = document;
  body.dataset.status = status;
  body.toggleAttribute("data-bare", isBare(state));
  body.toggleAttribute("data-answered", state.answer !== null);
}

/** Status; "failed" during retries. @param {State} state */
function statusOf(state) {
  return isAsking(state) && outageOf(state) && state.problem ? "failed" : state.status;
}

/** @param {State} state */
function isShownAtField({ problem }) {
  const fields = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-field]"));
  const seen = new Set([...fields].filter(isVisible).map((field) => field.dataset.field));
  return problem?.errors.some(({ at }) => seen.has(at ?? "")) ?? false;
}

/** @param {Store} store @param {State} state */
function replacedWords({ t }, { replaced }) {
  if (!replaced) return [];
  const onclick = () => location.reload();
  const reload = h("button", { type: "button", class: "button", onclick }, t("refused.reload"));
  return [h("strong", {}, t("refused.replaced")), reload];
}

/** @param {Store} store @param {State} state @param {State["status"]} status */
function wordsOf(store, state, status) {
  const { t } = store;
  const retry = h("button", { class: "button", onclick: () => askAgain(store) }, t("problem.again"));
  if (outageOf(state))
    return [h("strong", {}, t("problem.offline_title")), h("span", {}, t("problem.retrying")), retry];
  const { problem, answer } = state;
  if (status !== "failed" || !problem) return [];
  const kept = h("span", { class: "muted" }, answer ? t("problem.kept") : "");
  return [
    h("strong", {}, problem.title),
    h("span", {}, problem.message, t("text.between"), kept),
    ...(problem.passing || problem.status >= 500 ? [retry] : []),
  ];
}
