/** Colour tables: 256 colours, chosen at the last moment for numbers kept as numbers. */

/**
 * @typedef {Object} Palette
 * @property {Uint32Array} pixels 256 colours as ImageData holds them (A B G R)
 * @property {(index: number) => string} css
 * @property {(index: number) => string} ink black or white, whichever is legible on that colour
 */

/**
 * @param {string} hex 256 × RRGGBB
 * @returns {Palette}
 */
export function palette(hex) {
  const pixels = new Uint32Array(256);
  for (let i = 0; i < 256; i++) {
    const rgb = parseInt(hex.slice(6 * i, 6 * i + 6), 16);
    pixels[i] = 0xff000000 | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16);
  }
  return {
    pixels,
    css: (index) => `#${hex.slice(6 * index, 6 * index + 6)}`,
    ink: (index) => (luminance(pixels[index]) > 0.36 ? "#000" : "#fff"),
  };
}

/** @param {number} pixel relative luminance as WCAG defines it */
function luminance(pixel) {
  const [r, g, b] = [pixel & 0xff, (pixel >> 8) & 0xff, (pixel >> 16) & 0xff].map((channel) => {
    const s = channel / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/**
 * Stops of a CSS gradient that shows a palette.
 * @param {Palette} colors
 * @returns {string}
 */
export function gradient(colors) {
  const stops = Array.from({ length: 17 }, (_, i) => colors.css(Math.min(255, i * 16)));
  return `linear-gradient(to right, ${stops.join(", ")})`;
}
