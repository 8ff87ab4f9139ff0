/** Show change: the cards of the stages as now − before, and a line that says what "before" is. */

import { look } from "../data/actions.js";
import { Before, Change, comparable, stepsSince } from "../data/before.js";
import { signed } from "../data/difference.js";
import { stageOf } from "../data/page.js";
import { pictureOf } from "../data/pictures.js";
import { selection } from "../data/state.js";
import { fill, h } from "../lib/dom.js";
import { closed } from "../lib/paint.js";
import { SIZE } from "./card.js";
import { Heatmap } from "./heatmap.js";
import { legend } from "./legend.js";
import { labelOf, placeOf, written } from "./words.js";

/** @typedef {import("../data/changing.js").Bench} Bench */
/** @typedef {import("../data/page.js").Stage} Stage */
/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/state.js").Store} Store */
/** @typedef {import("../data/state.js").Part} Part */
/** @typedef {{change: Change | null, store: Store}} Lens */

const NOTHING = /** @type {State} */ (/** @type {unknown} */ ({ view: {} }));

/** A stage as now − before; a cell under the pointer tells both numbers. */
class Changed extends Heatmap {
  /** @param {State} state */
  light(state) {
    super.light(state);
    const { hover } = state;
    const { readout, cursor } = this.overlay;
    if (readout.hidden || !hover || !readout.firstElementChild) return;
    const told = bothOf(this.store, state, hover);
    readout.firstElementChild.textContent = told;
    cursor.setAttribute("aria-label", `${placeOf(this.store, state, hover)}: ${told}`);
  }

  /** @param {State} state */
  describe(state) {
    super.describe(state);
    if (!this.picture) return;
    const { rows, cols } = this.picture;
    const stage = labelOf(this.store, this.stage.name);
    this.plot.setAttribute("aria-label", this.store.t("change.of", { stage, rows, cols }));
  }
}

/**
 * "before → now (Δ)" of a cell.
 * @param {Store} store
 * @param {State} state of the lens
 * @param {import("../data/address.js").Cell} cell
 */
function bothOf(store, state, { stage: name, row, col }) {
  const change = /** @type {Change} */ (/** @type {unknown} */ (state.answer));
  const { precision } = state.view;
  const stage = stageOf(store.page, name);
  const [before, now] = [change.a, change.b].map((answer) => {
    const picture = pictureOf(store.page, answer, stage, selection(state));
    return !picture || closed(picture, row, col) ? null : picture.values[row * picture.cols + col];
  });
  const [was, is] = [before, now].map((value) => written(store, stage, value, precision));
  const by = before === null || now === null ? null : now - before;
  const delta = by === null ? "" : ` (${written(store, signed(stage), by, precision)})`;
  return before === null && now === null ? is : `${was} → ${is}${delta}`;
}

/**
 * The page's store with the change in the answer's place.
 * @param {Store} store
 * @returns {Lens}
 */
function lens(store) {
  /** @type {{from: State, change: Change | null, state: State} | null} */
  let last = null;
  /** @param {State} from @returns {State} */
  const through = (from) => {
    if (last?.from !== from || last.change !== own.change)
      last = { from, change: own.change, state: { ...from, answer: /** @type {any} */ (own.change) } };
    return last.state;
  };
  /** @type {Lens} */
  const own = {
    change: null,
    store: {
      ...store,
      get: () => through(store.get()),
      subscribe: (listener) => store.subscribe((state, previous, how) => listener(through(state), through(previous), how)),
    },
  };
  return own;
}

/**
 * @param {HTMLElement} pipeline the cards of the stages
 * @param {Bench} bench
 * @returns {Part}
 */
export function since(pipeline, bench) {
  const { store } = bench;
  const { t } = store;
  const line = h("div", { class: "since", hidden: true });
  const said = h("p", { role: "status" });
  const again = h("button", { type: "button", class: "button", onclick: () => look(store, { since: traceNow() }) }, t("change.from_now"));
  const name = t("change.since_close");
  const close = h("button", { type: "button", class: "close", onclick: end, "aria-label": name, title: name }, "✕");
  fill(line, said, again, close);
  pipeline.before(line);
  document.addEventListener("keydown", onKey);
  const seen = lens(store);
  const before = new Before(bench, redraw);
  /** @type {Part[]} */
  let cards = [];
  let drawn = NOTHING;

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
    const on = state.view.since !== null && state.view.tab === "stages" && state.answer !== null;
    line.hidden = !on;
    const answer = on ? before.of(state) : null;
    const whole = answer && state.answer && comparable(answer, state.answer);
    if (answer && whole) seen.change = changeOf(answer, state);
    else seen.change = null;
    pipeline.toggleAttribute("data-since", seen.change !== null);
    if (on) tell(state, answer);
    if (!seen.change) return clear();
    if (cards.length === 0) cards = built();
    const previous = drawn;
    drawn = seen.store.get();
    for (const card of cards) card.update(drawn, previous);
  }

  /** A card has one picture again. */
  function clear() {
    for (const each of cards.splice(0)) each.destroy();
    drawn = NOTHING;
  }

  /** @param {import("../data/answer.js").Answer} answer @param {State} state */
  function changeOf(answer, { answer: now }) {
    const same = seen.change?.a === answer && seen.change.b === now;
    return same ? seen.change : new Change(store.page, answer, /** @type {any} */ (now), "position");
  }

  /** @param {State} state @param {import("../data/answer.js").Answer | null} answer */
  function tell(state, answer) {
    const { problem } = before;
    const steps = stepsSince(bench, state.view.since ?? "");
    const key = steps === 0 ? "nothing" : steps === null ? "mark" : steps === 1 ? "step" : "steps";
    const way = answer && !seen.change ? t("change.since_sizes") : t(`change.since.${key}`, { n: steps });
    const text = problem ? problem.message || t("problem.offline") : way;
    if (said.textContent !== text) said.textContent = text;
    again.hidden = steps === 0;
  }

  function built() {
    const articles = /** @type {NodeListOf<HTMLElement>} */ (pipeline.querySelectorAll("article[data-stage]"));
    return [...articles].map((article) => card(article, seen, stageOf(store.page, article.dataset.stage ?? "")));
  }

  return {
    update: redraw,
    destroy() {
      document.removeEventListener("keydown", onKey);
      before.controller.abort();
      clear();
      line.remove();
    },
  };
}

/**
 * The change of one stage, in its card.
 * @param {HTMLElement} article
 * @param {Lens} seen
 * @param {Stage} stage
 * @returns {Part}
 */
function card(article, seen, stage) {
  const { store } = seen;
  const [picture, foot] = [h("div"), h("div")];
  const same = h("p", { class: "same" }, store.t("change.same"));
  const place = h("div", { class: "change" }, picture, foot, same);
  article.append(place);
  const kind = signed(stage);
  const parts = [new Changed(picture, store, kind, SIZE), legend(foot, store, kind)];
  return {
    update(state, previous) {
      for (const part of parts) part.update(state, previous);
      if (state.hover !== previous.hover && state.answer === previous.answer && state.view === previous.view) return;
      same.hidden = !seen.change?.isSame(kind, selection(state));
      foot.hidden = !same.hidden;
    },
    destroy() {
      for (const part of parts) part.destroy();
      place.remove();
    },
  };
}
