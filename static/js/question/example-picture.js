import { bodyOf, asQuestion } from "../core/question.js";
import { lastWeights } from "../core/traces.js";
import { h } from "../lib/dom.js";
import { paint } from "../lib/paint.js";
import { colorsOf } from "../matrix/colors.js";

const SIDE = 52; // CSS pixels

/**
 * Fetches a picture when its canvas becomes visible.
 * @param {Store} store @returns {(question: Record<string, any>) => HTMLCanvasElement}
 */
export function picturesOf(store) {
  /** @type {Map<Element, Record<string, any>>} */
  const waiting = new Map();
  let before = Promise.resolve();
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const question = waiting.get(target);
      if (!isIntersecting || !question) continue;
      waiting.delete(target);
      seen.unobserve(target);
      const canvas = /** @type {HTMLCanvasElement} */ (target);
      before = before.then(() => draw(store, canvas, question)).catch(() => undefined);
    }
  });
  return (question) => {
    const canvas = h("canvas", { width: SIDE, height: SIDE, "aria-hidden": "true" });
    waiting.set(canvas, question);
    seen.observe(canvas);
    return canvas;
  };
}

/** @param {Store} store @param {HTMLCanvasElement} canvas @param {Record<string, any>} question */
async function draw({ page, get }, canvas, question) {
  const rows = await lastWeights(bodyOf(asQuestion(page, question)));
  const picture = { values: rows.flat(), rows: rows.length, cols: rows[0].length };
  const pixels = Math.round(SIDE * devicePixelRatio);
  const side = (/** @type {number} */ cells) => (cells < pixels ? cells * Math.ceil(pixels / cells) : pixels);
  const colors = colorsOf(page, get().theme, "weights");
  paint(canvas, picture, colors, { low: 0, high: 1 }, side(picture.cols), side(picture.rows));
}
