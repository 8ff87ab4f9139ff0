/** Heads: layers × heads as pictures with their metrics, to be sorted, filtered and seen together. */

import { look } from "../data/actions.js";
import { METRICS } from "../data/address.js";
import { passes } from "../data/combine.js";
import { reach, startEvery } from "../data/every.js";
import { h } from "../lib/dom.js";
import { short } from "../lib/numbers.js";
import { together } from "./together.js";
import { tiles } from "./tiles.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/address.js").Metric} Metric */

/** @type {import("../data/state.js").ViewOf} */
export function grid(root, store) {
  const { t } = store;
  const metric = h(
    "select",
    { onchange: () => look(store, { metric: /** @type {Metric} */ (metric.value), above: null }) },
    METRICS.map((name) => h("option", { value: name }, t(`metric.${name}`))),
  );
  const sorted = h("input", { type: "checkbox", onchange: () => look(store, { sorted: sorted.checked }) });
  const above = h("input", {
    type: "range",
    min: 0,
    step: "any",
    "aria-label": t("heads.above"),
    oninput: () => filter(above.valueAsNumber, true),
    onchange: () => filter(above.valueAsNumber, false),
  });
  const least = h("output");
  const count = h("span", { class: "muted" });
  const all = h("button", { class: "button", onclick: () => look(store, { heads: shown() }) }, t("heads.all"));
  const none = h("button", { class: "button", onclick: () => look(store, { heads: [] }) }, t("heads.none"));
  const cut = h("p", { class: "muted" });
  const [board, side] = [h("div", { class: "board" }), h("div", { class: "together card" })];
  root.classList.add("heads");
  root.append(
    h(
      "div",
      { class: "choices", role: "group", "aria-label": t("heads.choices") },
      h("label", { class: "field" }, h("span", {}, t("heads.metric")), metric),
      h("label", { class: "field flag" }, sorted, t("heads.sorted")),
      h("span", { class: "field" }, h("span", { "aria-hidden": "true" }, t("heads.above")), above, least),
      count,
      h("span", { class: "ends" }, all, none),
    ),
    cut,
    board,
    side,
  );
  const parts = [tiles(board, store), together(side, store)];
  let drawn = /** @type {State} */ ({ view: {} });
  startEvery(store);

  /** @param {number} value @param {boolean} replace */
  function filter(value, replace) {
    store.set({ view: { ...store.get().view, above: value > 0 ? value : null } }, { replace });
  }

  function shown() {
    const state = store.get();
    const places = state.metrics ?? [];
    return places.filter((place) => passes(state, place)).map(({ layer, head }) => [layer, head]);
  }

  /** @param {State} state */
  function show(state) {
    const { view, metrics, answer } = state;
    metric.value = view.metric;
    sorted.checked = view.sorted;
    const most = Math.max(0, ...(metrics ?? []).map((each) => each[view.metric] ?? 0));
    // Places in two texts have no distance: what compares them is not there with a context.
    for (const option of metric.options) {
      const name = /** @type {Metric} */ (option.value);
      option.disabled = Boolean(metrics?.length) && (metrics ?? []).every((each) => each[name] === null);
    }
    for (const control of [metric, sorted, above, all]) control.disabled = !metrics?.length;
    above.max = String(most || 1);
    above.value = String(view.above ?? 0);
    least.textContent = short(view.above ?? 0, 2);
    const { num_layers, num_heads } = answer?.reply.shape ?? { num_layers: 0, num_heads: 0 };
    const total = num_layers * num_heads;
    count.textContent = t("heads.count", { n: metrics?.length ? shown().length : total, all: total });
    none.disabled = view.heads.length === 0;
    const far = reach(state);
    cut.hidden = far === "all";
    cut.textContent = far === "all" ? "" : t(`heads.cut_${far}`);
  }

  return {
    update(state) {
      if (state.view.tab !== "heads" || !state.answer) return;
      if (state.view !== drawn.view || state.metrics !== drawn.metrics || state.answer !== drawn.answer)
        show(state);
      for (const part of parts) part.update(state, drawn);
      drawn = state;
    },
    destroy() {
      for (const part of parts) part.destroy();
      root.replaceChildren();
    },
  };
}
