import { passes } from "../core/combined-heads.js";
import { cellAfter } from "../lib/grid-keys.js";

const SIDE = { least: 38, most: 200, named: 80 };
const FOOT = 34; // px of caption, name and gap
const GAP = 4;
const LAYERS = 22; // px of the layer numbers
const LOW = 300; // px; least height of the tiles

/** @param {Pick<State, "answer" | "metrics" | "view">} state @param {number} width */
export function arranged({ answer, metrics, view }, width) {
  const { num_layers, num_heads } = /** @type {Answer} */ (answer).reply.shape;
  const layers = Array.from({ length: num_layers }, (_, layer) =>
    Array.from({ length: num_heads }, (_, head) => ({ layer, head })),
  );
  const byMetric = view.sorted && metrics?.length;
  if (!byMetric && num_layers > 1) return layers;
  const places = byMetric ? ranked({ metrics, view }) : layers.flat();
  const room = Math.max(1, Math.floor(width / SIDE.named));
  const columns = Math.min(room, num_layers > 1 ? num_heads : Math.ceil(Math.sqrt(num_heads)));
  return Array.from({ length: Math.ceil(places.length / columns) }, (_, row) =>
    places.slice(row * columns, (row + 1) * columns),
  );
}

/** @param {Pick<State, "metrics" | "view">} state @returns {Place[]} */
function ranked(state) {
  const { metric } = state.view;
  const found = (state.metrics ?? []).filter((place) => passes(/** @type {State} */ (state), place));
  return found.toSorted((a, b) => (b[metric] ?? 0) - (a[metric] ?? 0));
}

/** @param {Place[][]} rows */
export const isByLayer = (rows) => rows.length > 1 && rows.every((row, at) => row.every(({ layer }) => layer === at));

/**
 * Side of a tile in px; the smallest readable side if not all tiles fit.
 * @param {Place[][]} rows @param {{width: number, height: number}} room
 */
export function sideOf(rows, { width, height }) {
  const columns = Math.max(...rows.map((row) => row.length));
  const wide = (width - LAYERS) / columns - GAP;
  const high = Math.max(LOW, height) / rows.length - FOOT;
  const least = isByLayer(rows) ? SIDE.least : Math.min(wide, SIDE.named - GAP);
  return { side: Math.floor(Math.max(least, Math.min(SIDE.most, wide, high))), columns };
}

/**
 * Tile to which a key leads. Arrows stop at the edges; null for other keys.
 * @template Each
 * @param {StepKey} event @param {Each[][]} rows @param {Each} from
 */
export function tileAfter(event, rows, from) {
  const row = rows.findIndex((each) => each.includes(from));
  const to = cellAfter(event, { row, col: rows[row].indexOf(from) }, { rows: rows.length, cols: rows[row].length });
  return to && (rows[to.row][to.col] ?? rows[to.row][rows[to.row].length - 1]);
}
