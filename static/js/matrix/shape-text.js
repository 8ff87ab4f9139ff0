/** The shape of a stage in words: each axis by its letter and size, in its colour. */

import { colorOf, letterOf, sizesOf } from "../core/page.js";
import { h } from "../lib/dom.js";

/**
 * The shape with each axis in its colour; a batch of one goes without saying.
 * @param {import("../core/state.js").State} state
 * @param {import("../core/page.js").Stage} stage
 */
export function shapeOf({ answer }, stage) {
  if (!answer) return [];
  const sizes = sizesOf(answer.reply.shape, answer.reply.mlp_width);
  const axes = stage.axes.filter((axis) => axis !== "batch" || sizes.batch > 1);
  return axes.flatMap((axis, index) => [
    index > 0 && h("span", { class: "times" }, "×"),
    h("span", { class: `axis-${colorOf(axis)}` }, h("i", {}, letterOf(axis)), ` ${sizes[axis]}`),
  ]);
}
