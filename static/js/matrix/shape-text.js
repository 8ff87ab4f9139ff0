import { namedAxes, colorOf, letterOf, sizesOf } from "../core/page.js";
import { h } from "../lib/dom.js";

/**
 * Sizes of the axes; without the batch if its size is 1.
 * @param {State} state @param {Stage} stage
 */
export function shapeOf(state, stage) {
  const { answer } = state;
  if (!answer) return [];
  const { cols } = namedAxes(stage, state);
  const sizes = sizesOf(answer.reply.shape, answer.reply.mlp_width);
  const own = stage.axes.length > 1 ? [...stage.axes.slice(0, -1), cols] : stage.axes;
  const axes = own.filter((axis) => axis !== "batch" || sizes.batch > 1);
  return axes.flatMap((axis, index) => [
    index > 0 && h("span", { class: "times" }, "×"),
    h("span", { class: `axis-${colorOf(axis)}` }, h("i", {}, letterOf(axis)), ` ${sizes[axis]}`),
  ]);
}
