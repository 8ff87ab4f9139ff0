/** Levels of detail: a cell of a level is `side` × `side` cells of the map, a tile 256 × 256 cells of a level. */

export const TILE = 256;

/** @param {number} levels @param {number} z */
export const sideOf = (levels, z) => 2 ** (levels - 1 - z);

/**
 * The finest level whose cells have at least one device pixel, else the coarsest.
 * @param {number} levels @param {number} pixels device pixels of a cell of the map
 */
export function levelFor(levels, pixels) {
  const side = Math.ceil(Math.log2(1 / pixels) - 1e-6);
  return levels - 1 - Math.max(0, Math.min(levels - 1, side));
}

/**
 * Tiles that cover a region, from its middle outwards.
 * @param {number} levels @param {number} z @param {Maps.Region} span
 */
export function tilesOn(levels, z, { rows, cols }) {
  const wide = TILE * sideOf(levels, z);
  const first = (/** @type {Span} */ [start]) => Math.floor(start / wide);
  const last = (/** @type {Span} */ [, end]) => Math.floor((end - 1) / wide);
  const [top, left] = [first(rows), first(cols)];
  const [high, across] = [last(rows) - top + 1, last(cols) - left + 1];
  const tiles = Array.from({ length: high * across }, (_, at) => ({
    z,
    row: top + Math.floor(at / across),
    col: left + (at % across),
  }));
  const [y, x] = [(rows[0] + rows[1]) / 2 / wide - 0.5, (cols[0] + cols[1]) / 2 / wide - 0.5];
  const far = (/** @type {Maps.Tile} */ { row, col }) => (row - y) ** 2 + (col - x) ** 2;
  return tiles.sort((a, b) => far(a) - far(b));
}

/** @param {Maps.Tile} tile @param {number} up */
export function coarserTile({ z, row, col }, up) {
  const parts = 2 ** up;
  const cells = TILE / parts;
  return {
    tile: { z: z - up, row: Math.floor(row / parts), col: Math.floor(col / parts) },
    part: { row: (row % parts) * cells, col: (col % parts) * cells, cells },
  };
}

/** @param {Maps.Tile} tile */
export const finerTiles = ({ z, row, col }) =>
  [0, 1, 2, 3].map((at) => ({ z: z + 1, row: 2 * row + (at >> 1), col: 2 * col + (at & 1) }));

/** @param {Maps.Tile} tile */
export const tileAddress = ({ z, row, col }) => `${z}/${row}/${col}`;
