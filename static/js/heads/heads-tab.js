import { setView } from "../core/actions.js";
import { startAllHeads } from "../core/all-heads.js";
import { passes } from "../core/combined-heads.js";
import { headScope } from "../core/heads-request.js";
import { h } from "../lib/dom.js";
import { field } from "../lib/field.js";
import { short } from "../lib/numbers.js";
import { makeSelect, setOptions } from "../lib/select.js";
import { makeSlots } from "../lib/slots.js";
import { LeftOutChoice } from "../matrix/left-out.js";
import { CombinedMap } from "./combined-map.js";
import { FoundHeads } from "./found-heads.js";
import { tiles } from "./head-tiles.js";

export class HeadOptions {
  /** @param {Store} store */
  constructor(store) {
    const { t } = store;
    this.store = store;
    this.metric = makeSelect((metric) => setView(store, { metric, above: null }));
    const names = store.page.metrics.map(({ name }) => name);
    setOptions(this.metric, names, null, (name) => t(`metric.${name}`));
    this.sorted = h("input", { type: "checkbox", onchange: () => setView(store, { sorted: this.sorted.checked }) });
    this.above = h("input", {
      type: "range",
      min: 0,
      step: "any",
      "aria-label": t("heads.above"),
      oninput: () => this.filter(true),
      onchange: () => this.filter(false),
    });
    this.least = h("output", { translate: "no" });
    this.count = h("span", { class: "muted" });
    const chooseShown = () => setView(store, { heads: passingHeads(store.get()) });
    this.all = h("button", { class: "button", onclick: chooseShown }, t("heads.all"));
    this.none = h("button", { class: "button", onclick: () => setView(store, { heads: [] }) }, t("heads.none"));
    this.keys = new LeftOutChoice(store);
    this.cut = h("p", { class: "muted" });
    this.root = this.markup();
  }

  markup() {
    const { t } = this.store;
    return h(
      "div",
      { class: "choices", role: "group", "aria-label": t("heads.choices") },
      field(t("heads.metric"), this.metric),
      h("label", { class: "field flag" }, this.sorted, t("heads.sorted")),
      h("span", { class: "field" }, h("span", { "aria-hidden": "true" }, t("heads.above")), this.above, this.least),
      this.count,
      this.keys.root,
      h("span", { class: "ends" }, this.all, this.none),
    );
  }

  /** @param {boolean} replace the history entry, as during a drag */
  filter(replace) {
    const value = this.above.valueAsNumber;
    setView(this.store, { above: value > 0 ? value : null }, { replace });
  }

  /** @param {State} state */
  show(state) {
    const { view } = state;
    this.metric.value = view.metric;
    this.sorted.checked = view.sorted;
    this.none.disabled = view.heads.length === 0;
    this.keys.show(state);
    this.showMetrics(state);
    this.showCount(state);
    const far = headScope(state, this.store.page);
    this.cut.hidden = far === "all" || Boolean(state.answer?.numbers); // a long text has pictures of every head
    this.cut.textContent = this.cut.hidden ? "" : this.store.t(`heads.cut_${far}`);
  }

  /** @param {State} state */
  showMetrics({ view, metrics }) {
    const found = metrics ?? [];
    // With a context, metrics that compare positions are undefined.
    for (const option of this.metric.options) {
      option.disabled = found.length > 0 && found.every((each) => each[option.value] === null);
    }
    for (const control of [this.metric, this.sorted, this.above, this.all]) control.disabled = found.length === 0;
    this.above.max = String(Math.max(0, ...found.map((each) => each[view.metric] ?? 0)) || 1);
    this.above.value = String(view.above ?? 0);
    this.least.textContent = short(view.above ?? 0, 2);
  }

  /** @param {State} state */
  showCount(state) {
    const { num_layers, num_heads } = state.answer?.reply.shape ?? { num_layers: 0, num_heads: 0 };
    const all = num_layers * num_heads;
    const n = state.metrics?.length ? passingHeads(state).length : all;
    this.count.textContent = this.store.t("heads.count", { n, all });
  }
}

/** @param {State} state */
function passingHeads(state) {
  const places = state.metrics ?? [];
  return places.filter((place) => passes(state, place)).map(({ layer, head }) => [layer, head]);
}

/** @type {ViewOf} */
export function grid(root, store, slots = makeSlots()) {
  const options = new HeadOptions(store);
  const found = new FoundHeads(store);
  const [board, side] = [h("div", { class: "board" }), h("div", { class: "together card" })];
  root.classList.add("heads");
  root.append(options.root, options.cut, found.root, slots("heads.about"), board, side, slots("heads"));
  const parts = [tiles(board, store), new CombinedMap(side, store)];
  /** @type {State | undefined} */
  let drawn;
  startAllHeads(store);

  return {
    update(state) {
      if (state.view.tab !== "heads" || !state.answer) return;
      const { view, metrics, answer, attempt } = drawn ?? {};
      const again = state.answer !== answer || state.attempt !== attempt;
      if (again || state.view !== view || state.metrics !== metrics) {
        options.show(state);
        found.show(state);
      }
      for (const part of parts) part.update(state, drawn);
      drawn = state;
    },
    destroy() {
      for (const part of parts) part.destroy();
      root.replaceChildren();
    },
  };
}
