import { setView } from "../core/actions.js";
import { kvHeadOf } from "../core/answer.js";
import { stageOf } from "../core/page.js";
import { parametersOf } from "../core/layer-parameters.js";
import { keyedRequest } from "../core/traces.js";
import { refusal } from "../core/refusal-words.js";
import { fill, h } from "../lib/dom.js";
import { extent } from "../lib/paint.js";
import { Heatmap } from "../matrix/heatmap.js";
import { legend } from "../matrix/legend.js";
import { SYMBOLS, shapeText, typeset } from "../lib/notation.js";

/** @typedef {import("../editing/edits.js").Parameters} Parameters */

const SIZE = { most: 36, gutter: 0 };
const ROOM = { high: 212, low: 34, title: 14 }; // px of the pictures

class Tensor extends Heatmap {
  frame = h("i", { class: "own-part", "aria-hidden": "true" });
  /** @type {number[][]} */
  rows = [];

  take() {
    const picture = { rows: this.rows.length, cols: this.rows[0]?.length ?? 0, values: this.rows.flat() };
    return picture.rows ? { ...picture, ...extent(picture) } : null;
  }

  /** @param {State} state */
  mark({ answer, view: { head } }) {
    const { shape } = /** @type {Answer} */ (answer).reply;
    const { axes } = this.stage;
    const side = axes.findIndex((axis) => axis.includes("head"));
    const shared = axes[side]?.startsWith("kv_head");
    const [count, at] = shared ? [shape.num_kv_heads, kvHeadOf(shape, head)] : [shape.num_heads, head];
    const [start, length] = [`${(100 * at) / count}%`, `${100 / count}%`];
    const across = side === axes.length - 1;
    Object.assign(this.frame.style, across ? { left: start, width: length } : { top: start, height: length });
    this.frame.hidden = count < 2 || side < 0;
    if (!this.frame.isConnected) this.plot.append(this.frame);
  }
}

/** @type {ViewOf} */
export const tensors = (root, store) => new Tensors(root, store);

class Tensors {
  /** @type {Tensor[]} */
  pictures = [];
  /** @type {Part[]} */
  legends = [];

  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    const { t } = store;
    this.root = root;
    this.store = store;
    this.room = h("div", { class: "tensors" });
    this.count = h("span", { class: "muted" });
    fill(root, h("header", {}, h("h3", {}, t("parameters.parameters")), this.count), this.room);
    this.want = keyedRequest(
      (/** @type {Parameters} */ found) => this.build(found),
      (problem) => fill(this.room, h("p", { class: "error" }, refusal(store, problem))),
      this.room,
    );
  }

  /** @type {Part["update"]} */
  update(state, previous) {
    const { layer } = state.view;
    const trace = state.answer?.reply.trace;
    this.want(`${trace} ${state.attempt} ${layer}`, () => parametersOf(state, layer), trace);
    this.redraw(state, previous);
  }

  destroy() {
    this.clear();
    this.root.replaceChildren();
  }

  /** @param {Parameters} found */
  build(found) {
    this.clear();
    const drawn = Object.keys(found).map((name) => ({ name, rows: rowsOf(found[name]) }));
    this.room.replaceChildren(...drawn.map(({ name, rows }) => this.figure(name, rows)));
    const total = drawn.reduce((sum, { rows }) => sum + rows.length * rows[0].length, 0);
    this.count.textContent = this.store.t("parameters.count", { n: total.toLocaleString("en") });
    this.redraw(this.store.get());
  }

  /** @param {string} name @param {number[][]} rows */
  figure(name, rows) {
    const [picture, foot] = [h("div", { class: "tensor-picture" }), h("div")];
    const high = rows.length > 1 ? Math.min(ROOM.high, ROOM.title + SIZE.most * rows.length) : ROOM.low;
    picture.style.height = `${high}px`;
    const drawn = new Tensor(picture, this.store, stageOf(this.store.page, name), SIZE);
    drawn.rows = rows;
    this.pictures.push(drawn);
    this.legends.push(legend(foot, this.store, drawn.stage, () => drawn.take()));
    const sizes = h("span", { class: "muted" }, shapeText([rows.length, rows[0].length]));
    return h("figure", { "data-tensor": name }, h("figcaption", {}, titleOf(this.store, name), sizes), picture, foot);
  }

  clear() {
    for (const part of [...this.pictures, ...this.legends]) part.destroy();
    [this.pictures, this.legends] = [[], []];
  }

  /** @param {State} state @param {State} [previous] */
  redraw(state, previous) {
    this.pictures.forEach((picture, at) => {
      picture.update(state, previous);
      picture.mark(state);
      this.legends[at].update(state, previous);
      const figure = /** @type {HTMLElement} */ (this.room.children[at]);
      figure.toggleAttribute("data-chosen", picture.stage.name === state.view.matrix);
    });
  }
}

/** A vector is one row. @param {unknown} own */
const rowsOf = (own) => /** @type {number[][]} */ (Array.isArray(own) && Array.isArray(own[0]) ? own : [own]);

/** Only matrices can be selected. @param {Store} store @param {string} name */
function titleOf(store, name) {
  if (!(name in SYMBOLS)) return h("span", {}, typeset(name.replace(/_(.)$/, (_, low) => `_${low.toUpperCase()}`)));
  const choose = () => setView(store, { matrix: /** @type {any} */ (name) });
  return h("button", { class: "link", onclick: choose }, typeset(SYMBOLS[name]));
}
