/** Show change: the page's pictures as now − before, and a line that says what "before" is. */

import { look } from "../data/actions.js";
import { Before, Change, SHOWN_IN, comparable, stepsSince } from "../data/before.js";
import { stageOf } from "../data/page.js";
import { lens } from "../data/since.js";
import { fill, find, h } from "../lib/dom.js";
import { fetched } from "../lib/fetched.js";
import { NOTHING, changedCard } from "./changed.js";
import { changedCell } from "./changedcell.js";
import { changedLarge } from "./changedlarge.js";

/** @typedef {import("../data/answer.js").Answer} Answer */
/** @typedef {import("../data/changing.js").Bench} Bench */
/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/state.js").Part} Part */

/**
 * A part that is updated while it is seen, and caught up when it is seen again.
 * @param {Part} part
 * @param {(state: State) => boolean} isSeen
 * @returns {Part}
 */
function whileSeen({ update, destroy }, isSeen) {
  let drawn = NOTHING;
  return {
    update(state) {
      if (!isSeen(state)) return;
      update(state, drawn);
      drawn = state;
    },
    destroy,
  };
}

/**
 * @param {HTMLElement} pipeline the cards of the stages
 * @param {Bench} bench
 * @returns {Part}
 */
export function since(pipeline, bench) {
  const { store } = bench;
  const { t } = store;
  const dialog = /** @type {HTMLDialogElement} */ (find("#large"));
  const inspector = find("#inspector");
  const line = h("div", { class: "since", hidden: true });
  const said = h("p", { role: "status" });
  const again = h("button", { type: "button", class: "button", onclick: () => look(store, { since: traceNow() }) }, t("change.from_now"));
  const stages = h("button", { type: "button", class: "button", onclick: () => look(store, { tab: "stages" }) }, t("change.to_stages"));
  const name = t("change.since_close");
  const close = h("button", { type: "button", class: "close", onclick: end, "aria-label": name, title: name }, "✕");
  fill(line, said, stages, again, close);
  pipeline.before(line);
  document.addEventListener("keydown", onKey);
  const seen = lens(store);
  const before = new Before(bench, redraw);
  /** @type {Part[]} */
  let parts = [];
  /** @type {ReturnType<typeof import("./changedheads.js").changedHeads> | null} */
  let heads = null;
  let opening = false;
  // What is large or explained may be built while nothing of the state changes.
  const built = new MutationObserver(redraw);
  for (const place of [dialog, inspector]) built.observe(place, { childList: true });

  const traceNow = () => store.get().answer?.reply.trace ?? null;

  function end() {
    look(store, { since: null });
  }

  /** @param {KeyboardEvent} event */
  function onKey({ key, target, defaultPrevented }) {
    const { since, stage, present } = store.get().view;
    const busy = target instanceof Element && target.closest("input, textarea, select, dialog, #present");
    if (key === "Escape" && since && !stage && !present && !busy && !defaultPrevented) end();
  }

  function redraw() {
    const state = store.get();
    const on = state.view.since !== null && state.answer !== null;
    line.hidden = !on;
    const answer = on ? before.of(state) : null;
    const whole = answer && state.answer && comparable(answer, state.answer);
    seen.change = answer && whole ? changeOf(answer, state) : null;
    pipeline.toggleAttribute("data-since", seen.change !== null);
    showHeads(on && (!answer || whole) ? state : null, answer);
    if (on) tell(state, answer);
    if (!seen.change) return clear();
    if (parts.length === 0) parts = build();
    for (const part of parts) part.update(seen.store.get(), NOTHING);
  }

  /** @param {State | null} state null where they have no change @param {Answer | null} answer */
  async function showHeads(state, answer) {
    const tab = state?.view.tab === "heads";
    if (heads || !tab || opening) return heads?.update(tab ? state : null, answer);
    opening = true;
    const { changedHeads } = await fetched(() => import("./changedheads.js"));
    heads = changedHeads(find("#panel-heads"), store, before, redraw);
    redraw();
  }

  /** A card has one picture again. */
  function clear() {
    for (const each of parts.splice(0)) each.destroy();
  }

  /** @param {Answer} answer @param {State} state */
  function changeOf(answer, { answer: now }) {
    const same = seen.change?.a === answer && seen.change.b === now;
    return same ? seen.change : new Change(store.page, answer, /** @type {any} */ (now), "position");
  }

  /** Which question "before" is, as the end of a key. */
  function which() {
    const steps = stepsSince(bench, store.get().view.since ?? "");
    return { key: steps === 0 ? "nothing" : steps === null ? "mark" : steps === 1 ? "step" : "steps", n: steps };
  }

  /** @param {State} state @param {Answer | null} answer */
  function tell(state, answer) {
    const { tab } = state.view;
    const problem = before.problem ?? heads?.problem();
    const elsewhere = !SHOWN_IN.includes(tab);
    const { key, n } = which();
    const way = answer && !seen.change ? t("change.since_sizes") : t(`change.since.${key}`, { n });
    const here = elsewhere ? t("change.since_not", { tab: t(`tab.${tab}`) }) : way;
    const text = problem ? why(problem) : here;
    if (said.textContent !== text) said.textContent = text;
    stages.hidden = !elsewhere;
    again.hidden = n === 0 || elsewhere;
  }

  /** @param {import("../data/api.js").Problem} problem */
  const why = ({ code, message }) => (code === "unknown_trace" ? t("change.since_lost") : message || t("problem.offline"));
  const told = () => t(`change.told.${which().key}`, { n: which().n });

  function build() {
    const articles = /** @type {NodeListOf<HTMLElement>} */ (pipeline.querySelectorAll("article[data-stage]"));
    const cards = [...articles].map((article) => changedCard(article, seen, stageOf(store.page, article.dataset.stage ?? "")));
    return [
      ...cards.map((card) => whileSeen(card, ({ view }) => view.tab === "stages")),
      whileSeen(changedLarge(dialog, seen, told), () => true),
      changedCell(inspector, seen),
    ];
  }

  return {
    update: redraw,
    destroy() {
      document.removeEventListener("keydown", onKey);
      built.disconnect();
      before.controller.abort();
      clear();
      heads?.destroy();
      line.remove();
    },
  };
}
