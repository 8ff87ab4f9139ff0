/** Fields to choose the differentiated number f; a line about the hovered or pinned cell. */

import { setView } from "../core/actions.js";
import { JACOBIAN, jacobianOf, lastLayer, rowOf } from "./derivatives.js";
import { stageOf } from "../core/page.js";
import { pictureOf } from "../core/picture.js";
import { repeatsOutput, selection } from "../core/state.js";
import { h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { isClosed } from "../lib/paint.js";
import { makeSelect, setOptions } from "../lib/select.js";
import { offerIndices } from "../lib/count-select.js";
import { labelOf, nameOf } from "../matrix/names.js";
import { placeOf, formatCell } from "../matrix/cell-text.js";

/** @import {Derivatives, Lens} from "./derivatives.js" */
/** @typedef {View["objective"]} Objective */

const KINDS = { sum: "gradients.sum", row_norm: "gradients.row_norm", cell: "gradients.cell" };
const AT = ["output", "block_output"];
const LABELS = {
  kind: "gradients.kind",
  at: "gradients.at",
  row: "axis.query",
  col: "gradients.col",
  layer: "live.layer",
  head: "live.head",
};

export class ObjectiveView {
  /** @param {HTMLElement} root @param {Store} store @param {Lens} seen */
  constructor(root, store, seen) {
    const { t } = store;
    this.root = root;
    this.store = store;
    this.seen = seen;
    this.controls = this.makeControls();
    const names = /** @type {(keyof typeof LABELS)[]} */ (Object.keys(LABELS));
    const fields = names.map((name) => [
      name,
      h("label", { class: "field" }, h("span", {}, t(LABELS[name])), this.controls[name]),
    ]);
    this.fields = /** @type {Record<keyof typeof LABELS, HTMLElement>} */ (Object.fromEntries(fields));
    this.value = h("output");
    this.reading = h("p", { class: "reading muted" });
    const group = { class: "choices", role: "group", "aria-label": t("gradients.choices") };
    root.append(h("div", group, Object.values(this.fields), this.value), this.reading);
  }

  makeControls() {
    const { store } = this;
    const column = { type: "number", min: 0, step: 1, onchange: () => this.chooseColumn() };
    const controls = {
      kind: makeSelect((name) => this.chooseKind(name)),
      at: makeSelect((name) => this.choose({ at: /** @type {Objective["at"]} */ (name) })),
      row: makeSelect((index) => this.choose({ row: Number(index) })),
      col: h("input", column),
      layer: makeSelect((index) => setView(store, { layer: Number(index) })),
      head: makeSelect((index) => setView(store, { head: Number(index) })),
    };
    const kinds = /** @type {(keyof typeof KINDS)[]} */ (Object.keys(KINDS));
    setOptions(controls.kind, kinds, null, (name) => store.t(KINDS[name]));
    setOptions(controls.at, AT, null, (name) => labelOf(store, name));
    return controls;
  }

  /** @param {Partial<Objective>} patch */
  choose(patch) {
    setView(this.store, { objective: { ...this.store.get().view.objective, ...patch } });
  }

  /** @param {string} kind */
  chooseKind(kind) {
    const { row, col } = this.controls;
    const from = pinnedOutput(this.store.get()) ?? { row: row.selectedIndex, col: col.valueAsNumber || 0 };
    this.choose({ row: kind === "sum" ? null : from.row, col: kind === "cell" ? from.col : null });
  }

  chooseColumn() {
    const { col } = this.controls;
    if (col.reportValidity()) this.choose({ col: col.valueAsNumber || 0 });
  }

  /** @param {State} state */
  update(state) {
    const { derived } = /** @type {Derivatives} */ (state.answer);
    this.show(state);
    this.hide(state);
    this.value.textContent = this.store.t("gradients.value", { value: format(derived.value, state.view.precision) });
    this.reading.textContent = readingOf(this.store, this.seen, state);
  }

  /** @param {State} state */
  show(state) {
    const { reply, derived } = /** @type {Derivatives} */ (state.answer);
    const { num_layers, num_heads, n } = reply.shape;
    const { kind, at, row = n - 1, col = 0 } = derived.objective;
    const { controls } = this;
    offerIndices(controls.layer, num_layers, state.view.layer, String);
    offerIndices(controls.head, num_heads, state.view.head, String);
    offerIndices(controls.row, n, row, (index) => nameOf(state, "query", index));
    controls.kind.value = kind;
    controls.at.value = at;
    if (document.activeElement !== controls.col) controls.col.value = String(col);
  }

  /** Hides fields that have one choice or no effect. @param {State} state */
  hide(state) {
    const { reply, derived } = /** @type {Derivatives} */ (state.answer);
    const { fields } = this;
    fields.layer.hidden = reply.shape.num_layers < 2;
    fields.head.hidden = reply.shape.num_heads < 2;
    fields.row.hidden = derived.objective.kind === "sum";
    fields.col.hidden = derived.objective.kind !== "cell";
    fields.at.hidden = repeatsOutput(state);
  }

  destroy() {
    this.root.replaceChildren();
  }
}

/** The pinned cell if it can be f: an output of the last layer. @param {State} state */
function pinnedOutput({ answer, view: { cell, layer } }) {
  const last = answer?.reply.shape.num_layers === layer + 1;
  return cell && last && AT.includes(cell.stage) ? cell : null;
}

/** @param {Store} store @param {Lens} seen @param {State} state */
function readingOf(store, seen, state) {
  const { t, page } = store;
  const { hover, view, answer } = state;
  const cell = hover ?? view.cell;
  const { of, reply } = /** @type {Derivatives} */ (answer);
  if (!cell)
    return t(view.layer === lastLayer(reply) ? "gradients.hint" : "gradients.hint_layer", { layer: lastLayer(reply) });
  const { stage: name, row, col } = cell;
  const stage = stageOf(seen.store.page, name);
  const jacobian = name === JACOBIAN.name;
  const picture = jacobian
    ? jacobianOf(page, { ...state, answer: of }, rowOf(page, state))
    : answer && pictureOf(seen.store.page, answer, stage, selection(state));
  if (!picture || row >= picture.rows || col >= picture.cols) return "";
  const derivative = picture.values[row * picture.cols + col];
  const names = { one: nameOf(state, "key", row), other: nameOf(state, "key", col) };
  const values = { cell: `${labelOf(store, name)}, ${placeOf(seen.store, state, cell)}`, ...names };
  if (isClosed(picture, row, col)) return t("gradients.closed", values);
  const change = formatCell(seen.store, stage, derivative, view.precision);
  if (jacobian) return t("gradients.reading_weight", { ...values, change });
  const number = of.block(stageOf(page, name), selection(state))?.values[row * picture.cols + col];
  const value = number === undefined ? "" : t("gradients.now", { value: format(number, view.precision) });
  return `${t("gradients.reading", { ...values, change })} ${value}`;
}
