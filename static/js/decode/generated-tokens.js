import { partsOf } from "../core/pieces.js";
import { h } from "../lib/dom.js";
import { percent } from "../lib/percent.js";
import { colorsOf } from "../matrix/colors.js";

/** @param {Store} store @param {State} state @param {Replies.Continuation} continuation */
export function writtenPieces({ page, t }, { theme }, { pieces, log_probabilities }) {
  const colors = colorsOf(page, theme, "weights");
  const items = pieces.map((piece, at) => {
    const p = Math.exp(log_probabilities[at]);
    const { mark, word } = partsOf(piece);
    const index = Math.round(255 * p);
    const lead = mark && h("span", { "aria-hidden": "true" }, mark);
    const text = h("span", { class: "piece", translate: "no" }, lead, word);
    text.style.cssText = `background:${colors.css(index)};color:${colors.ink(index)}`;
    return h("li", {}, text, h("span", { class: "number", translate: "no" }, percent(p)));
  });
  return h("div", {}, h("h3", {}, t("decode.written", { n: pieces.length })), h("ol", {}, items));
}
