import { widest } from "../lib/fit.js";
import { formatFixed } from "../lib/fixed-decimals.js";
import { hasClosed, isClosed, colorIndex, paint, scaleOfRow, valueAt } from "../lib/paint.js";
import { textColor } from "../lib/text-color.js";

/** @typedef {{title: string, color: string, names: string[] | null}} Axis `names`: null for indices */

/**
 * `ends`: texts beside the legend. `closed`: text for hatched cells. `decimals`: null for no numbers.
 * @typedef {{title: string, about: string, picture: Picture, colors: Palette, scale: Scale, rows: Axis, cols: Axis,
 * square: boolean, ends: {low: string, middle: string, high: string}, closed: string, decimals: number | null}} Figure
 */

const MOST = 64 * 64; // cells; larger matrices become bitmaps
const MOST_PIXELS = 8192; // largest canvas side that every browser allows
const FONT = "11px sans-serif";
const [INK, MUTED, HATCH] = ["#1b2026", "#59626d", "#9aa3ad"];
const PITCH = 12; // pixels that a name needs
const EDGE = 12;
const ROOM = 560; // most pixels of a side

/** @param {string} text */
const escaped = (text) =>
  text
    .replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)
    // XML forbids these characters, even escaped.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");

/** @param {number} n */
const round = (n) => Number(n.toFixed(2));

/** @param {number} x @param {number} y @param {string} text @param {string} [rest] */
const label = (x, y, text, rest = "") => `<text x="${round(x)}" y="${round(y)}" ${rest}>${escaped(text)}</text>`;

/** @param {Figure} figure */
export function drawing(figure) {
  const { picture, rows, cols, square } = figure;
  const longest = Math.max(picture.rows, picture.cols);
  const side = pitchOf(longest, { least: 3, most: 36, room: 480 });
  const wide = square ? side : pitchOf(picture.cols, { least: 2, most: 28, room: ROOM });
  const high = square ? side : pitchOf(picture.rows, { least: 3, most: 20, room: 320 });
  const flat = !cols.names || widest(cols.names, FONT) + 4 <= wide;
  const left = EDGE + Math.max(widest([rows.title, cols.title], FONT), rows.names ? widest(rows.names, FONT) : 24) + 8;
  const top = 58 + (flat ? 16 : widest(cols.names ?? [], FONT) + 8);
  const box = { left, top, wide, high, flat, width: wide * picture.cols, height: high * picture.rows };
  const head = widest([figure.title, figure.about], "600 14px sans-serif");
  const width = Math.ceil(Math.max(left + box.width, 2 * EDGE + head, left + 260) + EDGE);
  const height = Math.ceil(top + box.height + 46);
  const parts = [
    ...title(figure),
    ...cells(figure, box),
    ...names(figure, box),
    ...legend(figure, left, top + box.height + 18),
  ];
  const opened = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11" fill="${INK}">`;
  const svg = [opened, `<rect width="${width}" height="${height}" fill="#fff"/>`, defs(figure), ...parts, "</svg>"];
  return { svg: svg.join("\n"), width, height };
}

/**
 * Pixels of a cell; below `least` only if the side would exceed ROOM.
 * @param {number} count @param {{least: number, most: number, room: number}} limits
 */
const pitchOf = (count, { least, most, room }) => Math.max(Math.min(least, ROOM / count), Math.min(most, room / count));

/** @param {Figure} figure */
function defs({ colors }) {
  const stops = Array.from({ length: 17 }, (_, at) => {
    const offset = round((100 * at) / 16);
    return `<stop offset="${offset}%" stop-color="${hex(colors.pixels[Math.min(255, at * 16)])}"/>`;
  });
  const hatch = `<pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse"><rect width="4" height="4" fill="#eef0f2"/><path d="M0 4L4 0" stroke="${HATCH}" stroke-width="0.8"/></pattern>`;
  return `<defs>${hatch}<linearGradient id="ramp">${stops.join("")}</linearGradient></defs>`;
}

/** @param {number} pixel 0xAABBGGRR */
function hex(pixel) {
  const channels = [pixel & 0xff, (pixel >> 8) & 0xff, (pixel >> 16) & 0xff];
  return `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

/** @param {Figure} figure */
function title({ title: text, about }) {
  return [label(EDGE, 22, text, 'font-size="14" font-weight="600"'), label(EDGE, 38, about, `fill="${MUTED}"`)];
}

/** @typedef {{left: number, top: number, wide: number, high: number, flat: boolean, width: number, height: number}} Box */

/** @param {Figure} figure @param {Box} box */
function cells(figure, { left, top, wide, high, width, height }) {
  const { picture, colors, scale, decimals } = figure;
  const frame = `x="${round(left)}" y="${round(top)}" width="${round(width)}" height="${round(height)}"`;
  const ground = `<rect ${frame} fill="url(#hatch)"/>`;
  if (picture.rows * picture.cols > MOST) {
    const canvas = document.createElement("canvas");
    // One pixel per point: one per cell could exceed browsers' limits.
    const [down, across] = picture.coarse?.side ?? [1, 1];
    paint(canvas, picture, colors, scale, Math.ceil(picture.cols / across), Math.ceil(picture.rows / down));
    const bitmap = canvas.toDataURL("image/png");
    return [ground, `<image ${frame} preserveAspectRatio="none" image-rendering="pixelated" href="${bitmap}"/>`];
  }
  const [rects, texts] = [[ground, '<g shape-rendering="crispEdges">'], ['<g font-size="9" text-anchor="middle">']];
  for (let row = 0; row < picture.rows; row++) {
    const own = scaleOfRow(picture, scale, row);
    for (let col = 0; col < picture.cols; col++) {
      if (isClosed(picture, row, col)) continue;
      const value = valueAt(picture, row, col);
      const index = colorIndex(value, own);
      const [x, y] = [left + col * wide, top + row * high];
      rects.push(
        `<rect x="${round(x)}" y="${round(y)}" width="${round(wide)}" height="${round(high)}" fill="${hex(colors.pixels[index])}"/>`,
      );
      if (decimals !== null)
        texts.push(
          label(x + wide / 2, y + high / 2 + 3, formatFixed(value, decimals), `fill="${textColor(colors, index)}"`),
        );
    }
  }
  return [...rects, "</g>", ...texts, "</g>"];
}

/** Step between names that do not overlap: 1, 2, 4, 8 … @param {number} pitch @param {number} room */
function stride(pitch, room) {
  let step = 1;
  while (step * pitch < room) step *= 2;
  return step;
}

/** @param {Figure} figure @param {Box} box */
function names({ picture, rows, cols }, { left, top, wide, high, flat }) {
  const down = stride(high, PITCH);
  const across = stride(wide, cols.names ? (flat ? wide : PITCH) : 22);
  const parts = [`<g fill="${MUTED}">`];
  for (let row = 0; row < picture.rows; row += down) {
    const text = rows.names?.[row] ?? String(row);
    parts.push(label(left - 6, top + (row + 0.5) * high + 4, text, 'text-anchor="end"'));
  }
  for (let col = 0; col < picture.cols; col += across) {
    const [x, text] = [left + (col + 0.5) * wide, cols.names?.[col] ?? String(col)];
    const turned = `transform="rotate(-90 ${round(x + 4)} ${round(top - 6)})"`;
    parts.push(flat ? label(x, top - 6, text, 'text-anchor="middle"') : label(x + 4, top - 6, text, turned));
  }
  parts.push("</g>");
  const corner = (/** @type {number} */ y, /** @type {Axis} */ axis) =>
    label(left - 6, y, axis.title, `text-anchor="end" fill="${axis.color}"`);
  return [...parts, corner(top - 20, cols), corner(top - 7, rows)];
}

/** @param {Figure} figure @param {number} left @param {number} top */
function legend({ ends: { low, middle, high }, picture, closed: hatched }, left, top) {
  const start = widest([low], FONT) + 6;
  const end = left + start + 120 + 6;
  const parts = [
    label(left, top + 9, low),
    `<rect x="${round(left + start)}" y="${round(top)}" width="120" height="10" fill="url(#ramp)"/>`,
    label(end, top + 9, high),
    ...(middle ? [label(left + start + 60, top + 22, middle, 'text-anchor="middle"')] : []),
  ];
  if (!hasClosed(picture)) return parts;
  const swatch = end + widest([high], FONT) + 16;
  const frame = `x="${round(swatch)}" y="${round(top)}" width="14" height="10"`;
  return [
    ...parts,
    `<rect ${frame} fill="url(#hatch)" stroke="${HATCH}" stroke-width="0.5"/>`,
    label(swatch + 19, top + 9, hatched),
  ];
}

/**
 * @param {{svg: string, width: number, height: number}} drawn @param {number} density @returns {Promise<Blob>}
 */
export async function rastered({ svg, width, height }, density) {
  density = Math.min(density, MOST_PIXELS / Math.max(width, height));
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  const image = new Image(width * density, height * density);
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * density, height * density];
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no room for the picture"))), "image/png"),
  );
}
