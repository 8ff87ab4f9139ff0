import { h } from "../lib/dom.js";

/** @param {ReturnType<typeof import("./waterfall.js").scaleOf>} scale @param {{from: number, to: number}} stretch */
export function barIn({ zero, bar }, stretch) {
  const { left, width } = bar(stretch);
  const own = h("i", { class: stretch.to < stretch.from ? "bar less" : "bar more" });
  const line = h("i", { class: "zero" });
  own.style.cssText = `left:${left}%;width:${width}%`;
  line.style.left = `${zero}%`;
  return h("span", { class: "track", "aria-hidden": "true" }, line, own);
}
