import { widest } from "../lib/fit.js";
import { corner, wholeScale } from "./pan-zoom.js";

/**
 * Step between named tokens: a power of two, so that names stay when zooming adds others.
 * @param {number} pitch @param {number} least
 */
export const nameStep = (pitch, least) => Math.max(1, 2 ** Math.ceil(Math.log2(least / pitch) - 1e-9));

/** @param {Span} span @param {number} every */
export function namedTokens([start, end], every) {
  const first = Math.ceil(start / every) * every;
  return Array.from({ length: Math.max(0, Math.ceil((end - first) / every)) }, (_, at) => first + at * every);
}

/** @param {string} name @param {number} room @param {(text: string) => number} measure */
export function truncate(name, room, measure) {
  if (measure(name) <= room) return name;
  const signs = [...name];
  let [fits, not] = [0, signs.length];
  while (not - fits > 1) {
    const middle = (fits + not) >> 1;
    if (measure(`${signs.slice(0, middle).join("")}…`) <= room) fits = middle;
    else not = middle;
  }
  return fits ? `${signs.slice(0, fits).join("")}…` : signs[0];
}

/** @typedef {{row: Span | null, col: Span | null}} Lit */
/**
 * @typedef {{left: number, top: number, from: Point, every: number, scale: number, room: Maps.Room, ink: Maps.Ink}} At
 */

const SIZE = 11; // px of the font
const LEAST = 14; // px between names
const LIT = 650; // font weight if highlighted
const GAP = 5; // px between name and cell
const MOST = 4096; // cached names
const COMING = 88; // px reserved until names load
const SAMPLE = 400; // measured names
const STACKED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u; // written downwards, not rotated

/**
 * @param {{width: number, height: number}} frame @param {Maps.Sheet} sheet @param {string} family
 * @param {[string, string]} titles
 */
export function roomIn(frame, sheet, family, titles) {
  const font = `${LIT} ${SIZE}px ${family}`; // names are widest when highlighted
  const most = Math.min(110, frame.width / 5);
  const sample = (/** @type {Axis} */ axis, /** @type {number} */ count) =>
    Array.from({ length: Math.min(SAMPLE, count) }, (_, at) => sheet.tokens[axis].nameOf(at));
  const title = widest(titles, font);
  // The room must not change when names load.
  const coming = (/** @type {Axis} */ axis) => (sheet.tokens[axis].here ? 0 : COMING);
  const left =
    Math.min(most, Math.max(title, coming("query"), widest(sample("query", sheet.size.rows), font))) + 2 * GAP;
  const edge = frame.width < 500 ? 36 : 44;
  const under = (/** @type {number} */ top) => ({
    left,
    top,
    width: Math.max(40, frame.width - left - edge),
    height: Math.max(40, frame.height - top - edge),
  });
  const [low, across] = [under(2 * LEAST + GAP), Math.max(coming("key"), widest(sample("key", sheet.size.cols), font))];
  // Keys that fit into columns are not rotated.
  if (across + 4 <= wholeScale(sheet.size, low)) return low;
  return under(Math.min(most, Math.max(2 * LEAST, across)) + 2 * GAP);
}

export class NamePainter {
  /** @param {CanvasRenderingContext2D} context */
  constructor(context) {
    this.context = context;
    /** @type {Map<string, string>} truncated names */
    this.cuts = new Map();
  }

  forget() {
    this.cuts.clear();
  }

  /**
   * @param {Maps.Sheet} sheet @param {Maps.Place} place @param {Maps.Room} room @param {Maps.Region} span
   * @param {Maps.Ink} ink @param {Lit} lit @param {[string, string]} titles
   */
  draw(sheet, place, room, span, ink, lit, titles) {
    const { context } = this;
    const from = corner(place, room);
    const [left, top] = [Math.max(room.left, from.x), Math.max(room.top, from.y)];
    context.textBaseline = "middle";
    context.textAlign = "right";
    const every = nameStep(place.scale, LEAST);
    const at = { left, top, from, every, scale: place.scale, room, ink };
    this.down(sheet, span.rows, at, lit.row);
    this.across(sheet, span.cols, at, lit.col);
    this.title(left - 2 * GAP, top, ink, titles);
  }

  /** @param {number} right @param {number} bottom @param {Maps.Ink} ink @param {[string, string]} titles */
  title(right, bottom, ink, [query, key]) {
    const { context } = this;
    context.font = `10px ${ink.family}`;
    context.textAlign = "right";
    context.fillStyle = ink.key;
    context.fillText(key, right, bottom - 24);
    context.fillStyle = ink.query;
    context.fillText(query, right, bottom - 12);
  }

  /** @param {Maps.Sheet} sheet @param {Span} span @param {At} at @param {Span | null} lit */
  down(sheet, span, { left, from, every, scale, room, ink }, lit) {
    const wide = room.left - 2 * GAP;
    for (const row of withHighlighted(namedTokens(span, every), lit, every)) {
      const y = from.y + (row + 0.5) * scale;
      if (y < room.top - 1 || y > room.top + room.height + 1) continue;
      const on = this.setStyle(ink, lit, row);
      this.context.textAlign = "right";
      this.context.fillText(this.cut("query", sheet.tokens.query.nameOf(row), wide, on), left - GAP, y);
    }
  }

  /** @param {Maps.Sheet} sheet @param {Span} span @param {At} at @param {Span | null} lit */
  across(sheet, span, { top, from, every, scale, room, ink }, lit) {
    const bottom = top - GAP;
    for (const col of withHighlighted(namedTokens(span, every), lit, every)) {
      const x = from.x + (col + 0.5) * scale;
      if (x < room.left - 1 || x > room.left + room.width + 1) continue;
      const on = this.setStyle(ink, lit, col);
      const name = sheet.tokens.key.nameOf(col);
      if (this.context.measureText(name).width <= scale - 4) this.flat(name, x, bottom);
      else if (STACKED.test(name)) this.stacked(name, x, bottom, room.top);
      else this.upright(this.cut("key", name, room.top - 2 * GAP, on), x, bottom);
    }
  }

  /** @param {Maps.Ink} ink @param {Span | null} lit @param {number} at */
  setStyle(ink, lit, at) {
    const on = lit !== null && at >= lit[0] && at < lit[1];
    this.context.font = `${on ? `${LIT} ` : ""}${SIZE}px ${ink.family}`;
    this.context.fillStyle = on ? ink.ink : ink.muted;
    return on;
  }

  /** @param {Axis} axis @param {string} name @param {number} room @param {boolean} on highlighted */
  cut(axis, name, room, on) {
    const key = `${axis}${on ? "!" : " "}${name}`;
    const known = this.cuts.get(key);
    if (known !== undefined) return known;
    const cut = truncate(name, room, (text) => this.context.measureText(text).width);
    if (this.cuts.size > MOST) this.cuts.clear();
    this.cuts.set(key, cut);
    return cut;
  }

  /** @param {string} name @param {number} x @param {number} bottom */
  flat(name, x, bottom) {
    this.context.textAlign = "center";
    this.context.fillText(name, x, bottom - SIZE / 2);
  }

  /** @param {string} name @param {number} x @param {number} bottom */
  upright(name, x, bottom) {
    const { context } = this;
    context.save();
    context.translate(x, bottom);
    context.rotate(-Math.PI / 2);
    context.textAlign = "left";
    context.fillText(name, 0, 0.5);
    context.restore();
  }

  /** @param {string} name @param {number} x @param {number} bottom @param {number} room */
  stacked(name, x, bottom, room) {
    const signs = [...name].slice(0, Math.max(1, Math.floor(room / (SIZE + 1)) - 1));
    this.context.textAlign = "center";
    signs.forEach((sign, at) => this.context.fillText(sign, x, bottom - (signs.length - at - 0.5) * (SIZE + 1)));
  }
}

/**
 * Adds the highlighted name, and drops names that would touch it.
 * @param {number[]} named @param {Span | null} lit @param {number} every
 */
function withHighlighted(named, lit, every) {
  if (!lit) return named;
  const far = named.filter((at) => at === lit[0] || Math.abs(at - lit[0]) >= every);
  return far.includes(lit[0]) ? far : [...far, lit[0]];
}
