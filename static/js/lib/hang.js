/** Pictures painted off screen: with many small ones the browser shows every frame sooner. */

import { paint } from "./paint.js";

/** @type {OffscreenCanvas | null} */
let easel = null;

/**
 * As `paint` of paint.js, into a canvas that is not drawn on again. The browser shows such a bitmap directly, but
 * copies other canvases at each layout.
 * @param {HTMLCanvasElement} canvas @param {import("./paint.js").Picture} picture
 * @param {import("./palette.js").Palette} colors @param {import("./paint.js").Scale} scale @param {number} width
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
