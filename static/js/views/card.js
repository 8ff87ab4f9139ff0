/** One stage of the pipeline: name, formula, shape, picture and legend. */

import { look } from "../data/actions.js";
import { colorOf, formulaOf, isMap, letterOf } from "../data/page.js";
import { fill, h, math } from "../lib/dom.js";
import { heatmap } from "./heatmap.js";
import { legend } from "./legend.js";
import { labelOf } from "./words.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/state.js").Store} Store */
/** @typedef {import("../data/page.js").Stage} Stage */

const LONG = 16; // signs of a formula that has no room beside the name of a map
export const SIZE = { most: 56, gutter: 62 };

/**
 * @param {HTMLElement} root
 * @param {Store} store
 * @param {Stage} stage
 * @returns {import("../data/state.js").Part}
 */
export function card(root, store, stage) {
  const label = labelOf(store, stage.name);
  const large = () => look(store, { stage: stage.name });
  const shape = h("p", { class: "shape" });
  const picture = h("div");
  const foot = h("div");
  const formula = h("span", { class: "formula" });
  const head = h(
    "header",
    {},
    h("h3", {}, h("button", { class: "name", onclick: large, title: label }, label)),
    formula,
    h("button", { class: "take", "data-take": stage.name, "aria-label": store.t("share.take", { stage: label }) }, "⤓"),
    h(
      "button",
      { class: "enlarge", onclick: large, "aria-label": store.t("card.enlarge", { stage: label }) },
      "⤢",
    ),
  );
  root.classList.add("card");
  root.dataset.stage = stage.name;
  root.dataset.kind = isMap(stage) ? "map" : "features";
  root.append(head, shape, picture, foot);
  let shown = "";
  const parts = [heatmap(picture, store, stage, SIZE), legend(foot, store, stage)];
  return {
    update(state, previous) {
      const drawn = formulaOf(stage, state.question);
      if (drawn !== shown) fill(formula, math((shown = drawn)));
      formula.classList.toggle("long", (formula.textContent?.length ?? 0) > LONG);
      if (state.answer && state.answer !== previous.answer) {
        fill(shape, shapeOf(state, stage));
        shape.classList.toggle("long", state.answer.reply.shape.batch > 1);
      }
      for (const part of parts) part.update(state, previous);
    },
    destroy() {
      for (const part of parts) part.destroy();
      root.replaceChildren();
    },
  };
}

/**
 * The shape with each axis in its colour; a batch of one goes without saying.
 * @param {State} state
 * @param {Stage} stage
 */
export function shapeOf({ answer }, stage) {
  const sizes = /** @type {Record<string, number>} */ (answer?.reply.shape ?? {});
  const all = /** @type {Record<string, number>} */ ({
    batch: sizes.batch,
    head: sizes.num_heads,
    kv_head: sizes.num_kv_heads,
    query: sizes.n,
    key: sizes.m,
    d_model: sizes.d_model,
    d_k: sizes.d_k,
    d_v: sizes.d_v,
    "head·d_v": sizes.num_heads * sizes.d_v,
  });
  const axes = stage.axes.filter((axis) => axis !== "batch" || all.batch > 1);
  return axes.flatMap((axis, index) => [
    index > 0 && h("span", { class: "times" }, "×"),
    h("span", { class: `axis-${colorOf(axis)}` }, h("i", {}, letterOf(axis)), ` ${all[axis]}`),
  ]);
}
