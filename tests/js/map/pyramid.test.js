import assert from "node:assert/strict";
import test from "node:test";
import { coarserTile, finerTiles, levelFor, tileAddress, sideOf, tilesOn } from "../../../static/js/map/pyramid.js";

test("a level's cells are twice as long as those of the next", () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((z) => sideOf(4, z)),
    [8, 4, 2, 1],
  );
});

test("the level that is drawn has cells of a pixel to two", () => {
  assert.equal(levelFor(5, 30), 4);
  assert.equal(levelFor(5, 1), 4);
  assert.equal(levelFor(5, 0.6), 3);
  assert.equal(levelFor(5, 0.5), 3);
  assert.equal(levelFor(5, 0.49), 2);
  assert.equal(levelFor(5, 0.0001), 0);
  assert.equal(levelFor(1, 0.3), 0);
});

test("the tiles under some cells, those in the middle first", () => {
  const tiles = tilesOn(5, 4, { rows: [0, 300], cols: [255, 256] });
  assert.deepEqual(tiles.map(tileAddress), ["4/0/0", "4/1/0"]);
  const wide = tilesOn(5, 3, { rows: [0, 2000], cols: [0, 2000] });
  assert.equal(wide.length, 16);
  assert.deepEqual(
    new Set(wide.slice(0, 4).map(({ row, col }) => `${row} ${col}`)),
    new Set(["1 1", "1 2", "2 1", "2 2"]),
  );
});

test("every tile is a quarter of the one above", () => {
  const tile = { z: 3, row: 5, col: 6 };
  assert.deepEqual(coarserTile(tile, 1), { tile: { z: 2, row: 2, col: 3 }, part: { row: 128, col: 0, cells: 128 } });
  assert.deepEqual(coarserTile(tile, 3), { tile: { z: 0, row: 0, col: 0 }, part: { row: 160, col: 192, cells: 32 } });
  for (const each of finerTiles(tile)) assert.deepEqual(coarserTile(each, 1).tile, tile);
});
