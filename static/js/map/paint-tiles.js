/** Draws tiles; coarser or finer ones stand in for a missing one. */

import { TILE, coarserTile, finerTiles, levelFor, sideOf, tilesOn } from "./pyramid.js";
import { tileName } from "./double-buffer.js";

/** @typedef {Point & {scale: number}} Lie corner of the map and size of its cells, in device pixels */
/** @typedef {{lie: Lie, levels: number, pixels: Uint32Array, hatch: CanvasPattern}} How */

/**
 * Bitmap of a tile, repainted only after `pixels`, the colours, changed.
 * @param {Maps.CachedTile} held @param {Uint32Array} pixels
 */
export function bitmapOf(held, pixels) {
  if (held.bitmap && held.painted === pixels) return held.bitmap;
  const { rows, cols, codes } = held;
  const image = new ImageData(cols, rows);
  const data = new Uint32Array(image.data.buffer);
  for (let at = 0; at < data.length; at++) data[at] = pixels[codes[at]];
  held.bitmap ??= new OffscreenCanvas(cols, rows);
  /** @type {OffscreenCanvasRenderingContext2D} */ (held.bitmap.getContext("2d")).putImageData(image, 0, 0);
  held.painted = pixels;
  return held.bitmap;
}

export class TilePainter {
  /** @param {CanvasRenderingContext2D} context @param {import("./tile-store.js").TileStore} store */
  constructor(context, store) {
    this.context = context;
    this.store = store;
  }

  /**
   * @param {Maps.Sheet} sheet @param {Maps.Region} span @param {Lie} lie @param {Uint32Array} pixels
   * @param {CanvasPattern} hatch @returns {{z: number, tiles: (Maps.Tile & Maps.CachedTile)[]}} level, and its visible
   * cached tiles
   */
  draw(sheet, span, lie, pixels, hatch) {
    const { levels } = sheet.extent;
    const z = levelFor(levels, lie.scale);
    const how = { lie, levels, pixels, hatch };
    const here = [];
    hatch.setTransform({ e: Math.round(lie.x), f: Math.round(lie.y) }); // the hatch moves with the map
    for (const tile of tilesOn(levels, z, span)) {
      const held = this.store.get(tileName(sheet, tile));
      if (held) {
        this.put(held, tile, how);
        here.push({ ...held, ...tile });
      } else this.standIn(sheet, tile, how);
    }
    return { z, tiles: here };
  }

  /** @param {Maps.Sheet} sheet @param {Maps.Tile} tile @param {How} how */
  standIn(sheet, tile, how) {
    for (let up = 1; up <= tile.z; up++) {
      const { tile: coarse, part } = coarserTile(tile, up);
      const held = this.store.get(tileName(sheet, coarse));
      if (!held) continue;
      const rows = Math.min(part.cells, held.rows - part.row);
      const cols = Math.min(part.cells, held.cols - part.col);
      if (rows > 0 && cols > 0) this.put(held, coarse, how, { row: part.row, col: part.col, rows, cols });
      break;
    }
    if (tile.z + 1 >= how.levels) return;
    for (const fine of finerTiles(tile)) {
      const held = this.store.get(tileName(sheet, fine));
      if (held) this.put(held, fine, how);
    }
  }

  /**
   * Tiles end at whole pixels, so that no gaps show.
   * @param {Maps.CachedTile} held @param {Maps.Tile} tile @param {How} how @param [part] cells of the tile
   */
  put(held, tile, how, part = { row: 0, col: 0, rows: held.rows, cols: held.cols }) {
    const { row, col, rows, cols } = part;
    const { x, y, scale } = how.lie;
    const side = sideOf(how.levels, tile.z) * scale;
    const at = (/** @type {number} */ from, /** @type {number} */ cell) => Math.round(from + cell * side);
    const [left, right] = [col, col + cols].map((cell) => at(x, tile.col * TILE + cell));
    const [top, bottom] = [row, row + rows].map((cell) => at(y, tile.row * TILE + cell));
    if (!held.open) {
      this.context.fillStyle = how.hatch;
      this.context.fillRect(left, top, right - left, bottom - top);
    }
    const bitmap = bitmapOf(held, how.pixels);
    this.context.drawImage(bitmap, col, row, cols, rows, left, top, right - left, bottom - top);
  }
}
