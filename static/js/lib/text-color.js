import { channels } from "./paint.js";

/** Relative luminance as WCAG defines it. @param {number} pixel */
function luminance(pixel) {
  const [r, g, b] = channels(pixel).map((channel) => {
    const s = channel / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Black or white, whichever is legible on a colour. @param {Palette} colors @param {number} index */
export const textColor = (colors, index) => (luminance(colors.pixels[index]) > 0.179 ? "#000" : "#fff");
