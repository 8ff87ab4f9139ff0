/** Reserves the width of the head selector until its script loads. */

import { fill } from "../lib/dom.js";
import { headsOffered, isDense } from "./head-places.js";

/** @type {ViewOf} */
export const selectorPlace = (root) => ({
  update({ answer, view: { layer } }, previous) {
    if (!answer || answer === previous?.answer) return;
    const { shape } = answer.reply;
    root.hidden = shape.num_layers * shape.num_heads < 2;
    root.classList.toggle("dense", isDense(headsOffered(shape, layer)));
  },
  destroy: () => fill(root),
});
