import { setView } from "../core/actions.js";
import { isLong } from "../core/state.js";
import { whileSeen } from "../core/while-seen.js";
import { selectedRow } from "./scaling-measures.js";
import { h } from "../lib/dom.js";
import { makeSelect } from "../lib/select.js";
import { offerIndices } from "../lib/count-select.js";
import { costs } from "./costs.js";
import { linear } from "./linear.js";
import { rounding } from "./rounding-table.js";
import { scaling } from "./scaling-charts.js";
import { nameOf } from "../matrix/names.js";

const PARTS = { scaling: "lab.scaling", precision: "lab.precision", costs: "lab.costs", linear: "lab.linear" };

/** @type {ViewOf} */
export function lab(root, store) {
  const { t } = store;
  const names = /** @type {View["lab"][]} */ (Object.keys(PARTS));
  const buttons = names.map((name) => h("button", { onclick: () => setView(store, { lab: name }) }, t(PARTS[name])));
  const places = menus(store);
  const table = h("input", { type: "checkbox", onchange: () => setView(store, { table: table.checked }) });
  const flag = h("label", { class: "field flag" }, table, t("large.table"));
  const panels = names.map(() => h("div"));
  root.classList.add("lab");
  const group = { class: "choices", role: "group", "aria-label": t("lab.choices") };
  root.append(h("div", group, h("span", { class: "parts" }, buttons), places.fields, flag), ...panels);
  const parts = [scaling, rounding, costs, linear].map((part, index) =>
    whileSeen(
      () => part(panels[index], store),
      ({ view }) => view.lab === names[index],
    ),
  );

  /** @param {State} state */
  function show(state) {
    const { view } = state;
    places.show(state);
    table.checked = view.table;
    flag.hidden = view.lab !== "scaling";
    names.forEach((name, index) => {
      panels[index].hidden = name !== view.lab;
      buttons[index].setAttribute("aria-pressed", String(name === view.lab));
      const shut = isLong(state) && name !== "costs";
      buttons[index].disabled = shut;
      buttons[index].title = shut ? t("long.short") : "";
    });
  }

  return {
    update(state) {
      const { tab, lab: part } = state.view;
      if (tab !== "lab" || !state.answer || (state.answer.numbers && part !== "costs")) return;
      show(state);
      for (const each of parts) each.update(state);
    },
    destroy() {
      for (const part of parts) part.destroy();
      root.replaceChildren();
    },
  };
}

/** @param {Store} store */
function menus(store) {
  const layer = makeSelect((index) => setView(store, { layer: Number(index) }));
  const head = makeSelect((index) => setView(store, { head: Number(index) }));
  const row = makeSelect((index) => setView(store, { cell: { stage: "weights", row: Number(index), col: 0 } }));
  const field = (/** @type {string} */ key, /** @type {HTMLElement} */ control) =>
    h("label", { class: "field" }, h("span", {}, store.t(key)), control);
  const fields = [field("live.layer", layer), field("live.head", head), field("axis.query", row)];

  /** @param {State} state */
  function show(state) {
    const { shape, lengths } = /** @type {NonNullable<State["answer"]>} */ (state.answer).reply;
    const { view } = state;
    const sizes = view.lab === "costs";
    offerIndices(layer, shape.num_layers, view.layer, String);
    offerIndices(head, shape.num_heads, view.head, String);
    offerIndices(row, lengths[view.batch], selectedRow(store.page, state), (index) => nameOf(state, "query", index));
    fields[0].hidden = sizes || shape.num_layers < 2;
    fields[1].hidden = sizes || shape.num_heads < 2;
    fields[2].hidden = sizes || view.lab === "linear";
  }

  return { fields, show };
}
