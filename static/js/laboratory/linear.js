import { stageOf } from "../core/page.js";
import { pictureOf } from "../core/picture.js";
import { refusal } from "../core/refusal-words.js";
import { selection } from "../core/state.js";
import { answerKey, fetchPart, keyedRequest } from "../core/traces.js";
import { fill, h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { extent } from "../lib/paint.js";
import { Heatmap } from "../matrix/heatmap.js";
import { legend } from "../matrix/legend.js";
import { compareTable } from "./cost-views.js";

/** @typedef {import("./cost-measures.js").Cost} Cost */
/** @typedef {{weights: (number | null)[][], weights_difference: number | null, output_difference: number | null, sums_difference: number | null, costs: {softmax: Cost, linear: Cost}}} Linear */

/** @param {State} state */
export const keyOf = ({ attempt, answer, view: { layer, head, batch } }) =>
  JSON.stringify([attempt, answer?.reply.trace, layer, head, batch]);

/** @param {Page} page @param {State} state @param {Linear} linear */
export function pictureOfLinear(page, state, { weights }) {
  const { answer } = state;
  const own = answer && pictureOf(page, answer, stageOf(page, "weights"), selection(state));
  if (!own) return null;
  const values = new Float64Array(own.rows * own.cols);
  weights.forEach((row, at) =>
    values.set(
      row.map((weight) => weight ?? NaN),
      at * own.cols,
    ),
  );
  const picture = { ...own, values };
  return { ...picture, ...extent(picture) };
}

const SIZE = { most: 40, gutter: 76 };

class LinearMap extends Heatmap {
  /** @type {{key: string, picture: ReturnType<typeof pictureOfLinear>} | null} */
  found = null;

  /** @param {State} state */
  take(state) {
    const picture = this.found?.key === keyOf(state) ? this.found.picture : null;
    if (picture !== this.picture) this.painted = "";
    return picture;
  }

  /** @param {State} state @param {SizedPicture} picture */
  describe(state, picture) {
    super.describe(state, picture);
    const { rows, cols } = picture;
    this.plot.setAttribute("aria-label", this.store.t("costs.linear_map", { ...state.view, rows, cols }));
  }
}

/** @type {ViewOf} */
export const linear = (root, store) => new LinearPart(root, store);

class LinearPart {
  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    const { t } = store;
    this.root = root;
    this.store = store;
    this.trouble = h("p", { class: "error", role: "status" });
    this.effects = [h("p", { class: "effect" }), h("p", { class: "effect" })];
    this.sheet = h("div", { class: "sheet", tabindex: "0" });
    const stage = stageOf(store.page, "weights");
    const [own, ownFoot, other, otherFoot] = [h("div"), h("div"), h("div"), h("div")];
    const card = (/** @type {string} */ title, /** @type {Node[]} */ ...children) =>
      h("section", { class: "card" }, h("header", {}, h("h3", {}, t(title))), ...children);
    root.classList.add("beside", "linear-of");
    root.append(
      this.trouble,
      card("costs.softmax_of", own, ownFoot),
      card("costs.linear_of", other, otherFoot),
      card("costs.apart", ...this.effects, this.sheet),
    );
    this.linear = new LinearMap(other, store, stage, SIZE);
    this.plates = [new Heatmap(own, store, stage, SIZE), this.linear];
    this.ramps = [legend(ownFoot, store, stage), legend(otherFoot, store, stage, (state) => this.linear.take(state))];
    this.want = keyedRequest(
      (/** @type {{key: string, reply: Linear}} */ found) => this.take(found),
      (problem) => this.refuse(refusal(store, problem)),
      ...this.effects,
      this.sheet,
    );
  }

  /** @param {State} state @param {State} [previous] */
  update(state, previous) {
    if (!state.answer) return;
    const { layer, head, batch } = state.view;
    const key = keyOf(state);
    this.root.toggleAttribute("data-pending", this.linear.found?.key !== key);
    const ask = async () => ({ key, reply: await fetchPart(state, "linear", { layer, head, batch }) });
    this.want(key, ask, answerKey(state));
    for (const part of [...this.plates, ...this.ramps]) part.update(state, previous);
  }

  destroy() {
    for (const part of [...this.plates, ...this.ramps]) part.destroy();
    this.root.replaceChildren();
  }

  /** @param {Child[]} why */
  refuse(why) {
    for (const part of [...this.effects, this.sheet]) fill(part);
    fill(this.trouble, why);
  }

  /** @param {{key: string, reply: Linear}} found */
  take({ key, reply }) {
    const { store } = this;
    const state = store.get();
    const { t } = store;
    const number = (/** @type {number | null} */ value) => (value === null ? "–" : format(value, 2));
    this.linear.found = { key, picture: pictureOfLinear(store.page, state, reply) };
    fill(this.trouble);
    this.root.removeAttribute("data-pending");
    const { weights_difference, output_difference, sums_difference } = reply;
    const values = { weights: number(weights_difference), output: number(output_difference) };
    const sums = t(sums_difference === null ? "costs.no_sums" : "costs.sums", { sums: number(sums_difference) });
    this.effects[0].textContent = t("costs.apart_effect", values);
    this.effects[1].textContent = sums;
    fill(this.sheet, compareTable(store, reply.costs));
    this.linear.draw(state);
    this.ramps[1].update(state);
  }
}
