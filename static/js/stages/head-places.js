/** @typedef {{from: number, to: number, places: Place[], columns: number, rows: number}} Offered layers [from, to) */

const MOST = 3072; // thumbnails; with more, only layers near the selected layer
const ROOMY = 4; // columns; with more, thumbnails have no names

/**
 * Heads in a grid: a row per layer, or a square if there is one layer.
 * @param {{num_layers: number, num_heads: number}} shape @param {number} layer selected
 */
export function headsOffered({ num_layers, num_heads }, layer) {
  const { from, to } = layersNear({ num_layers, num_heads }, layer);
  const count = (to - from) * num_heads;
  const columns = num_layers > 1 ? num_heads : Math.ceil(Math.sqrt(num_heads));
  const places = Array.from({ length: count }, (_, index) => ({
    layer: from + Math.floor(index / num_heads),
    head: index % num_heads,
  }));
  return { from, to, places, columns, rows: Math.ceil(count / columns) };
}

/** @param {Offered} offered */
export const isDense = ({ columns }) => columns > ROOMY;

/** @param {{num_layers: number, num_heads: number}} shape @param {number} layer */
function layersNear({ num_layers, num_heads }, layer) {
  const count = Math.max(1, Math.min(num_layers, Math.floor(MOST / num_heads)));
  const from = Math.max(0, Math.min(num_layers - count, layer - Math.floor(count / 2)));
  return { from, to: from + count };
}
