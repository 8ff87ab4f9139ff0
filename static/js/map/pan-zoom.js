/** @typedef {NonNullable<View["place"]>} Spot place in the URL */

const LARGEST = 96; // px of a cell
const TOLERANCE = 1e-6;

/** @param {Size} size @param {Maps.Room} room */
export const wholeScale = ({ rows, cols }, { width, height }) => Math.min(LARGEST, width / cols, height / rows);

/** @param {Size} size @param {Maps.Room} room */
export const wholePlace = (size, room) => ({ row: size.rows / 2, col: size.cols / 2, scale: wholeScale(size, room) });

/** @param {Maps.Place} place @param {Size} size @param {Maps.Room} room */
export const isWhole = ({ scale }, size, room) => scale <= wholeScale(size, room) * (1 + TOLERANCE);

/**
 * Limits scale and position; a map that is visible whole is centred.
 * @param {Maps.Place} place @param {Size} size @param {Maps.Room} room
 */
export function clampPlace({ row, col, scale }, size, room) {
  if (isWhole({ row, col, scale }, size, room)) return wholePlace(size, room);
  const kept = Math.min(LARGEST, scale);
  const part = wholeScale(size, room) / kept;
  return { row: middle(row, size.rows, part), col: middle(col, size.cols, part), scale: kept };
}

/** @param {number} at @param {number} count @param {number} part `wholeScale` / scale */
const middle = (at, count, part) => Math.max((count / 2) * part, Math.min(count - (count / 2) * part, at));

/** @param {Maps.Place} place @param {Maps.Room} room */
export const corner = ({ row, col, scale }, room) => ({
  x: room.left + room.width / 2 - col * scale,
  y: room.top + room.height / 2 - row * scale,
});

/** Edges of the visible part of the map. @param {Maps.Layout} layout */
export const boundsOf = ({ from, scale, size, room }) => ({
  left: Math.max(room.left, from.x),
  top: Math.max(room.top, from.y),
  right: Math.min(room.left + room.width, from.x + size.cols * scale),
  bottom: Math.min(room.top + room.height, from.y + size.rows * scale),
});

/**
 * Row and column of a point, with fractions; it may be outside the map.
 * @param {Maps.Place} place @param {Maps.Room} room @param {Point} point in px
 */
export function pointAt(place, room, { x, y }) {
  const from = corner(place, room);
  return { row: (y - from.y) / place.scale, col: (x - from.x) / place.scale };
}

/**
 * The cell at a point; null outside the map or the room.
 * @param {Maps.Place} place @param {Size} size @param {Maps.Room} room @param {Point} point in px
 */
export function cellAt(place, size, room, point) {
  const inside = point.x >= room.left && point.x < room.left + room.width;
  if (!inside || point.y < room.top || point.y >= room.top + room.height) return null;
  const at = pointAt(place, room, point);
  const [row, col] = [Math.floor(at.row), Math.floor(at.col)];
  return row >= 0 && col >= 0 && row < size.rows && col < size.cols ? { row, col } : null;
}

/**
 * @param {Maps.Place} place @param {Size} size @param {Maps.Room} room @param {Point} point
 * @param {number} factor
 */
export function zoomPlace(place, size, room, point, factor) {
  const at = pointAt(place, room, point);
  const scale = Math.min(LARGEST, Math.max(wholeScale(size, room), place.scale * factor));
  const from = { x: room.left + room.width / 2, y: room.top + room.height / 2 };
  const row = at.row - (point.y - from.y) / scale;
  const col = at.col - (point.x - from.x) / scale;
  return clampPlace({ row, col, scale }, size, room);
}

/** @param {Maps.Place} place @param {Size} size @param {Maps.Room} room @param {number} x px @param {number} y px */
export const panPlace = (place, size, room, x, y) =>
  clampPlace({ ...place, row: place.row - y / place.scale, col: place.col - x / place.scale }, size, room);

/** @param {Maps.Place} place @param {Size} size @param {Maps.Room} room */
export function visibleCells(place, size, room) {
  const from = pointAt(place, room, { x: room.left, y: room.top });
  const span = (/** @type {number} */ at, /** @type {number} */ length, /** @type {number} */ count) => {
    const start = Math.max(0, Math.min(count - 1, Math.floor(at + TOLERANCE)));
    const end = Math.ceil(at + length / place.scale - TOLERANCE);
    return /** @type {Span} */ ([start, Math.max(start + 1, Math.min(count, end))]);
  };
  return { rows: span(from.row, room.height, size.rows), cols: span(from.col, room.width, size.cols) };
}

/** The cell's square, which is drawn as one. @param {RowCol} cell @param {number} side @param {Size} size */
export function squareOf({ row, col }, side, { rows, cols }) {
  const span = (/** @type {number} */ at, /** @type {number} */ count) => {
    const start = Math.floor(at / side) * side;
    return /** @type {Span} */ ([start, Math.min(count, start + side)]);
  };
  return { rows: span(row, rows), cols: span(col, cols) };
}

/** @param {Maps.Place} place @param {Size} size @param {Maps.Room} room @param {RowCol} cell */
export function placeWithCell(place, size, room, { row, col }) {
  const towards = (/** @type {number} */ from, /** @type {number} */ at, /** @type {number} */ seen) => {
    const spare = Math.max(0, seen / 2 - Math.min(3, seen / 6) - 0.5);
    return Math.max(at + 0.5 - spare, Math.min(at + 0.5 + spare, from));
  };
  const [high, wide] = [room.height / place.scale, room.width / place.scale];
  return clampPlace({ ...place, row: towards(place.row, row, high), col: towards(place.col, col, wide) }, size, room);
}

/** @param {Maps.Place} place @param {Size} size @param {Maps.Room} room */
export function urlPlaceOf(place, size, room) {
  if (isWhole(place, size, room)) return null;
  const cells = Math.max(1, Math.round(Math.min(room.width, room.height) / place.scale));
  return { row: Math.floor(place.row), col: Math.floor(place.col), cells };
}

/** @param {Spot | null} spot @param {Size} size @param {Maps.Room} room */
export function placeOf(spot, size, room) {
  if (!spot) return wholePlace(size, room);
  const scale = Math.min(room.width, room.height) / Math.max(1, spot.cells);
  return clampPlace({ row: spot.row + 0.5, col: spot.col + 0.5, scale }, size, room);
}

/**
 * The scale changes geometrically.
 * @param {Maps.Place} from @param {Maps.Place} to @param {number} part
 */
export function interpolate(from, to, part) {
  const mix = (/** @type {number} */ a, /** @type {number} */ b) => a + (b - a) * part;
  return {
    row: mix(from.row, to.row),
    col: mix(from.col, to.col),
    scale: from.scale * (to.scale / from.scale) ** part,
  };
}
