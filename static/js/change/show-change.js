import { setView } from "../core/actions.js";
import { stagesOn } from "../core/page.js";
import { whileSeen } from "../core/while-seen.js";
import { fill, h } from "../lib/dom.js";
import { lazyLoad } from "../lib/load.js";
import { changedCell, changedLarge } from "./changed-large.js";
import { changedCard } from "./changed-stage.js";
import { changeStore } from "./changed-stores.js";
import { SHOWN_IN, stepsSince, PreviousAnswer, Change, comparable } from "./previous-answer.js";

/** @typedef {import("./previous-answer.js").Bench} Bench */

/** Suffix of message keys, and steps since the trace. @param {Bench} bench */
export function sinceWords(bench) {
  const n = stepsSince(bench, bench.store.get().view.since ?? "");
  return { key: n === 0 ? "nothing" : n === null ? "mark" : n === 1 ? "step" : "steps", n };
}

/** @param {Store} store */
export const endChange = (store) => setView(store, { since: null });

export class ChangeLine {
  /** @param {HTMLElement} root @param {Bench} bench */
  constructor(root, bench) {
    const { store } = bench;
    const { t } = store;
    this.bench = bench;
    this.said = h("p", { role: "status" });
    this.again = this.button("change.from_now", () =>
      setView(store, { since: store.get().answer?.reply.trace ?? null }),
    );
    this.stages = this.button("change.to_stages", () => setView(store, { tab: "stages" }));
    const label = t("change.since_close");
    const away = { type: "button", class: "close", onclick: () => endChange(store), "aria-label": label, title: label };
    this.root = root;
    fill(this.root, this.said, this.stages, this.again, h("button", away, "✕"));
  }

  /** @param {string} key @param {() => void} onclick */
  button(key, onclick) {
    return h("button", { type: "button", class: "button", onclick }, this.bench.store.t(key));
  }

  /** @param {State} state @param {boolean} comparable @param {Problem | null | undefined} problem */
  update(state, comparable, problem) {
    const { tab } = state.view;
    const elsewhere = !SHOWN_IN.includes(tab);
    const { key, n } = sinceWords(this.bench);
    const { t } = this.bench.store;
    const way = comparable ? t(`change.since.${key}`, { n }) : t("change.since_sizes");
    const here = elsewhere ? t("change.since_not", { tab: t(`tab.${tab}`) }) : way;
    const text = problem ? this.why(problem) : here;
    if (this.said.textContent !== text) this.said.textContent = text;
    this.stages.hidden = !elsewhere;
    this.again.hidden = n === 0 || elsewhere;
  }

  destroy() {
    this.root.hidden = true;
    fill(this.root);
  }

  /** @param {Problem} problem */
  why({ code, message }) {
    const { t } = this.bench.store;
    return code === "unknown_trace" ? t("change.since_lost") : message || t("problem.offline");
  }
}

export class ShowChange {
  /** @param {HTMLElement} root @param {import("../editing/apply-edit.js").Bench} bench @param {Slots} slots */
  constructor(root, bench, slots) {
    this.slots = slots;
    this.bench = bench;
    this.store = bench.store;
    this.seen = changeStore(bench.store);
    this.before = new PreviousAnswer(bench, () => this.update());
    this.line = new ChangeLine(root, bench);
    /** @type {Part[]} */
    this.parts = [];
    /** @type {ReturnType<typeof import("./changed-heads.js").changedHeads> | null} */
    this.heads = null;
    this.opening = false;
    this.keys = new AbortController();
    document.addEventListener("keydown", (event) => this.onKey(event), { signal: this.keys.signal });
  }

  /** @param {KeyboardEvent} event */
  onKey({ key, target, defaultPrevented }) {
    const { since, stage, present } = this.store.get().view;
    const busy = target instanceof Element && target.closest("input, textarea, select, dialog, #present");
    if (key === "Escape" && since && !stage && !present && !busy && !defaultPrevented) endChange(this.store);
  }

  update() {
    const state = this.store.get();
    const on = state.view.since !== null && state.answer !== null;
    const answer = on ? this.before.of(state) : null;
    const fits = !answer || !state.answer || comparable(answer, state.answer);
    this.seen.change = answer && fits ? this.changeOf(answer, state) : null;
    this.line.root.hidden = !on;
    this.showHeads(on && fits ? state : null, answer);
    if (on) this.line.update(state, fits, this.before.problem ?? this.heads?.problem());
    this.draw();
  }

  draw() {
    if (!this.seen.change) return this.clear();
    if (this.parts.length === 0) this.parts = this.build();
    for (const part of this.parts) part.update(this.seen.store.get());
  }

  clear() {
    for (const each of this.parts.splice(0)) each.destroy();
  }

  /** @param {State | null} state null removes the change @param {Answer | null} answer */
  async showHeads(state, answer) {
    const tab = state?.view.tab === "heads";
    if (this.heads || !tab || this.opening) return this.heads?.update(tab ? state : null, answer);
    this.opening = true;
    const { changedHeads } = await lazyLoad(() => import("./changed-heads.js"));
    this.heads = changedHeads(this.slots, this.store, this.before, () => this.update());
    this.update();
  }

  /** @param {Answer} answer @param {State} state */
  changeOf(answer, { answer: now }) {
    const { change } = this.seen;
    const same = change?.a === answer && change.b === now;
    return same ? change : new Change(this.store.page, answer, /** @type {any} */ (now), "position");
  }

  build() {
    const { bench, seen, slots, store } = this;
    const cards = stagesOn(store.page).map((stage) => () => changedCard(slots, seen, stage));
    const heading = () => {
      const { key, n } = sinceWords(bench);
      return store.t(`change.about.${key}`, { n });
    };
    return [
      ...cards.map((card) => whileSeen(card, ({ view }) => view.tab === "stages")),
      whileSeen(
        () => changedLarge(slots("large"), seen, heading),
        () => true,
      ),
      changedCell(slots("cell"), seen),
    ];
  }

  destroy() {
    this.keys.abort();
    this.before.request.drop();
    this.clear();
    this.heads?.destroy();
    this.line.destroy();
  }
}
