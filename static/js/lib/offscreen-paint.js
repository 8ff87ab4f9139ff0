import { paint } from "./paint.js";

/** @type {OffscreenCanvas | null} */
let offscreen = null;

/**
 * Browsers show a transferred bitmap directly, but copy other canvases at each layout.
 * @param {HTMLCanvasElement} canvas @param {Picture} picture @param {Palette} colors @param {Scale} scale
 * @param {number} width @param {number} height
 */
export function paintOffscreen(canvas, picture, colors, scale, width, height) {
  offscreen ??= new OffscreenCanvas(width, height);
  paint(offscreen, picture, colors, scale, width, height);
  canvas.width = width;
  canvas.height = height;
  const frame = /** @type {ImageBitmapRenderingContext} */ (canvas.getContext("bitmaprenderer"));
  frame.transferFromImageBitmap(offscreen.transferToImageBitmap());
}
