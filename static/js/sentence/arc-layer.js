/** SVG paths of the arcs between tokens, in px. */

import { fill } from "../lib/dom.js";
import { isClosed, valueAt } from "../lib/paint.js";
import { s } from "../lib/svg.js";
import { LEAST_NUMBERED } from "./token-row.js";

/** @typedef {{left: number, top: number, width: number, height: number}} Box */
/** @typedef {{d: string, from: Point, to: Point}} Arc */

const LEAST = 12; // px; least rise of an arch
const RISE = 0.42; // rise / distance of the tokens
const LOOP = 9; // px; half the width of a loop
const WIDEST = 0.5; // largest thickness / height of a token
const FINEST = 0.6; // px; least thickness

/** @param {number} weight @param {number} height */
export const thickness = (weight, height) => Math.max(FINEST, WIDEST * height * weight);

/** @param {Box} box */
const middle = ({ left, width }) => left + width / 2;

/**
 * An arch within a line, a curve between lines, or a loop on a token.
 * @param {Box} from @param {Box} to @param {number} room pixels above a line
 */
export function arcOf(from, to, room) {
  if (from.top < to.top) return curve(foot(from), head(to));
  if (from.top > to.top) return curve(head(from), foot(to));
  return from.left === to.left ? loop(from, room) : arch(head(from), head(to), room);
}

/** @param {Box} box */
const head = (box) => ({ x: middle(box), y: box.top });

/** @param {Box} box */
const foot = (box) => ({ x: middle(box), y: box.top + box.height });

/** @param {Point} from @param {Point} to @param {number} room */
function arch(from, to, room) {
  const rise = Math.min(room, Math.max(LEAST, RISE * Math.abs(to.x - from.x)));
  const y = round(from.y - rise / 0.75); // a cubic curve rises three quarters of its handles' height
  return { d: `M${point(from)}C${round(from.x)} ${y} ${round(to.x)} ${y} ${point(to)}`, from, to };
}

/** @param {Point} from @param {Point} to */
function curve(from, to) {
  const y = round((from.y + to.y) / 2);
  return { d: `M${point(from)}C${round(from.x)} ${y} ${round(to.x)} ${y} ${point(to)}`, from, to };
}

/** @param {Box} box @param {number} room */
function loop(box, room) {
  const { x, y } = head(box);
  const from = { x: x - LOOP, y };
  const to = { x: x + LOOP, y };
  const top = round(y - Math.min(room, 3 * LOOP) / 0.75);
  return { d: `M${point(from)}C${round(x - 2 * LOOP)} ${top} ${round(x + 2 * LOOP)} ${top} ${point(to)}`, from, to };
}

/** @param {Point} point */
const point = ({ x, y }) => `${round(x)} ${round(y)}`;

/** @param {number} pixels */
const round = (pixels) => Math.round(10 * pixels) / 10;

/** @typedef {import("./token-row.js").TokenRow} TokenRow */

const SEEN = 0.004; // least weight of an arc
const BEHIND = 0.15; // least weight of a faint arc
const THIN = 0.3; // thickness of a faint arc / of another arc
const FEW = 24; // tokens; with more, no faint arcs
const STEPS = 6; // steps of thickness
const FIGURE = 15; // px; height of a number under a token

export class ArcLayer {
  constructor() {
    this.behind = s("g", { class: "behind" });
    this.own = s("g", { class: "own" });
    this.root = s("svg", { class: "arcs", "aria-hidden": "true" }, this.behind, this.own);
  }

  /**
   * Draws a faint arc for each weight from `BEHIND`, in short texts.
   * @param {Picture} picture @param {TokenRow} queries @param {TokenRow} keys @param {number} room pixels above a line
   */
  drawAll(picture, queries, keys, room) {
    /** @type {string[]} */
    const paths = [];
    const [{ height } = { height: 0 }] = queries.boxes.values();
    if (Math.max(queries.boxes.size, keys.boxes.size) > FEW) return fill(this.behind);
    for (const [row, from] of queries.boxes)
      for (const [col, to] of keys.boxes) {
        const weight = valueAt(picture, row, col);
        if (!(weight >= BEHIND) || from === to || isClosed(picture, row, col)) continue;
        const step = Math.ceil(weight * STEPS);
        paths[step] = (paths[step] ?? "") + arcOf(from, to, room).d;
      }
    const drawn = paths.map((d, step) => s("path", { d, "stroke-width": thickness((THIN * step) / STEPS, height) }));
    fill(this.behind, drawn.filter(Boolean));
  }

  /** @param {import("./weight-row.js").Seen | null} seen @param {TokenRow} queries @param {TokenRow} keys @param {number} room */
  draw(seen, queries, keys, room) {
    const [own, others] = seen?.axis === "key" ? [keys, queries] : [queries, keys];
    const from = seen && own.boxes.get(seen.at);
    const entries = (seen?.entries ?? []).filter(({ weight }) => weight >= SEEN);
    const ribbons = entries
      .toSorted((a, b) => a.weight - b.weight)
      .flatMap(({ at, weight }) => {
        const to = underFigure(others.boxes.get(at), weight);
        const ends = seen?.axis === "key" ? [to, from] : [from, to];
        return from && to ? ribbon(/** @type {Box[]} */ (ends), weight, room, at) : [];
      });
    fill(this.own, ribbons);
  }
}

/** @param {Box | undefined} box @param {number} weight */
const underFigure = (box, weight) => (box && weight >= LEAST_NUMBERED ? { ...box, height: box.height + FIGURE } : box);

/** @param {Box[]} ends @param {number} weight @param {number} room @param {number} at */
function ribbon([query, key], weight, room, at) {
  const { d, from, to } = arcOf(query, key, room);
  const id = `arc-${at}`;
  const place = { id, gradientUnits: "userSpaceOnUse", x1: from.x, y1: from.y, x2: to.x, y2: to.y };
  const stops = [s("stop", { class: "axis-query" }), s("stop", { class: "axis-key", offset: 1 })];
  return [
    s("linearGradient", place, stops),
    s("path", {
      d,
      stroke: `url(#${id})`,
      "stroke-width": thickness(weight, query.height),
      opacity: 0.45 + 0.5 * weight,
    }),
  ];
}
