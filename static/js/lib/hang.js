/** Pictures that are painted elsewhere and hung: of many small ones a browser shows the first frame sooner, and each after it. */

import { paint } from "./paint.js";

/** @type {OffscreenCanvas | null} */
let easel = null;

/**
 * As `paint` of paint.js, into a canvas that nothing else draws on. A browser shows such a picture as it is, where it
 * copies a canvas that may be drawn on again whenever the page around it is laid out anew.
 * @param {HTMLCanvasElement} canvas
 * @param {import("./paint.js").Picture} picture
 * @param {import("./palette.js").Palette} colors
 * @param {import("./paint.js").Scale} scale
 * @param {number} width
 * @param {number} height
 */
export function hang(canvas, picture, colors, scale, width, height) {
  easel ??= new OffscreenCanvas(width, height);
  paint(easel, picture, colors, scale, width, height);
  canvas.width = width;
  canvas.height = height;
  const frame = /** @type {ImageBitmapRenderingContext} */ (canvas.getContext("bitmaprenderer"));
  frame.transferFromImageBitmap(easel.transferToImageBitmap());
}
