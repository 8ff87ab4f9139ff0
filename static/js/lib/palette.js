/** @type {Map<string, Palette>} */
const made = new Map();

/** @param {string} hex stops: RRGGBBRRGGBB… */
export function palette(hex) {
  const known = made.get(hex);
  if (known) return known;
  const stops = (hex.match(/.{6}/g) ?? []).map((rgb) => parseInt(rgb, 16));
  const pixels = Uint32Array.from({ length: 256 }, (_, index) => between(stops, index / 255));
  const palette = {
    pixels,
    css: (/** @type {number} */ index) => `rgb(${channels(pixels[index]).join(" ")})`,
    ink: (/** @type {number} */ index) => (luminance(pixels[index]) > 0.179 ? "#000" : "#fff"),
  };
  made.set(hex, palette);
  return palette;
}

/** @param {number[]} stops 0xRRGGBB @param {number} part 0 to 1 */
function between(stops, part) {
  const at = part * (stops.length - 1);
  const [low, high] = [stops[Math.floor(at)], stops[Math.ceil(at)]];
  const channel = (/** @type {number} */ shift) => {
    const [a, b] = [(low >> shift) & 0xff, (high >> shift) & 0xff];
    return Math.round(a + (b - a) * (at - Math.floor(at)));
  };
  return (0xff000000 | (channel(0) << 16) | (channel(8) << 8) | channel(16)) >>> 0;
}

/** @param {number} pixel @returns red, green, blue */
const channels = (pixel) => [pixel & 0xff, (pixel >> 8) & 0xff, (pixel >> 16) & 0xff];

/** Relative luminance as WCAG defines it. @param {number} pixel */
function luminance(pixel) {
  const [r, g, b] = channels(pixel).map((channel) => {
    const s = channel / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** CSS gradient between two colour indices. @param {Palette} colors @param {number} [from] @param {number} [to] */
export function gradient(colors, from = 0, to = 255) {
  const stops = Array.from({ length: 17 }, (_, i) => colors.css(Math.round(from + ((to - from) * i) / 16)));
  return `linear-gradient(to right, ${stops.join(", ")})`;
}
