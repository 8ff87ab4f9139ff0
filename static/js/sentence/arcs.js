/** SVG paths of the arcs between tokens, in px. */

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
