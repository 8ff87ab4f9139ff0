/** The matrices of a layer as pictures, all heads side by side, with the selected head's part framed. */

import { look } from "../data/actions.js";
import { stageOf } from "../data/page.js";
import { parametersOf } from "../data/parameters.js";
import { wanting } from "../data/told.js";
import { fill, h } from "../lib/dom.js";
import { extent } from "../lib/paint.js";
import { Heatmap } from "./heatmap.js";
import { legend } from "./legend.js";
import { WRITTEN, shapeText, typeset } from "./notation.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/state.js").Store} Store */

const SIZE = { most: 36, gutter: 0 };
const ROOM = { high: 212, low: 34, title: 14 }; // CSS pixels of a matrix, of a bias, and of the line over them
const DRAWN = ["w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o"];

/** A tensor of the layer; the part of the selected head has a frame. */
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
    const { num_heads, num_kv_heads } = /** @type {import("../data/answer.js").Answer} */ (answer).reply.shape;
    const letter = this.stage.name[2];
    const count = letter === "k" || letter === "v" ? num_kv_heads : num_heads;
    const at = Math.floor((head * count) / num_heads);
    const [start, length] = [`${(100 * at) / count}%`, `${100 / count}%`];
    const across = letter !== "o";
    Object.assign(this.frame.style, across ? { left: start, width: length } : { top: start, height: length });
    this.frame.hidden = count < 2 || this.stage.name === "b_o";
    if (!this.frame.isConnected) this.plot.append(this.frame);
  }
}

/** @type {import("../data/state.js").ViewOf} */
export function tensors(root, store) {
  const { t } = store;
  const room = h("div", { class: "tensors" });
  const count = h("span", { class: "muted" });
  fill(root, h("header", {}, h("h3", {}, t("weights.parameters")), count), room);
  /** @type {Tensor[]} */
  let pictures = [];
  /** @type {import("../data/state.js").Part[]} */
  let legends = [];
  const want = wanting(
    build,
    (problem) => fill(room, h("p", { class: "error" }, problem.message || t("problem.offline"))),
  );

  /** @param {import("../data/editing.js").Parameters} found */
  function build(found) {
    clear();
    const names = DRAWN.filter((name) => found[name]);
    const rows = names.map((name) => {
      const own = /** @type {any} */ (found[name]);
      return /** @type {number[][]} */ (Array.isArray(own[0]) ? own : [own]);
    });
    fill(room, names.map((name, at) => tile(name, rows[at])));
    const total = rows.reduce((sum, own) => sum + own.length * own[0].length, 0);
    count.textContent = t("weights.count", { n: total.toLocaleString("en") });
    update(store.get(), /** @type {State} */ ({ view: {} }));
  }

  /** @param {string} name @param {number[][]} rows */
  function tile(name, rows) {
    const [picture, foot] = [h("div", { class: "tensor-picture" }), h("div")];
    const high = rows.length > 1 ? Math.min(ROOM.high, ROOM.title + SIZE.most * rows.length) : ROOM.low;
    picture.style.height = `${high}px`;
    const drawn = new Tensor(picture, store, stageOf(store.page, name), SIZE);
    drawn.rows = rows;
    pictures.push(drawn);
    legends.push(legend(foot, store, drawn.stage, () => drawn.take()));
    const sizes = shapeText([rows.length, rows[0].length]);
    const [letter, low] = name.split("_");
    const written = WRITTEN[name] ?? `${letter}_${low.toUpperCase()}`;
    const choose = () => look(store, { matrix: /** @type {any} */ (name) });
    const matrix = name in WRITTEN;
    const title = matrix ? h("button", { class: "link", onclick: choose }, typeset(written)) : h("span", {}, typeset(written));
    return h("figure", { "data-tensor": name }, h("figcaption", {}, title, h("span", { class: "muted" }, sizes)), picture, foot);
  }

  function clear() {
    for (const part of [...pictures, ...legends]) part.destroy();
    [pictures, legends] = [[], []];
  }

  /** @param {State} state @param {State} previous */
  function update(state, previous) {
    pictures.forEach((picture, at) => {
      picture.update(state, previous);
      picture.mark(state);
      legends[at].update(state, previous);
      const figure = /** @type {HTMLElement} */ (room.children[at]);
      figure.toggleAttribute("data-chosen", picture.stage.name === state.view.matrix);
    });
  }

  return {
    update(state, previous) {
      const { layer } = state.view;
      want(`${state.answer?.reply.trace} ${state.attempt} ${layer}`, () => parametersOf(state, layer));
      update(state, previous);
    },
    destroy() {
      clear();
      root.replaceChildren();
    },
  };
}
