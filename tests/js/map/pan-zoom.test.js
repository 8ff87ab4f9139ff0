import assert from "node:assert/strict";
import test from "node:test";
import {
  interpolate,
  cellAt,
  corner,
  clampPlace,
  isWhole,
  panPlace,
  placeOf,
  pointAt,
  visibleCells,
  placeWithCell,
  urlPlaceOf,
  wholePlace,
  zoomPlace,
} from "../../../static/js/map/pan-zoom.js";

const ROOM = { left: 50, top: 20, width: 400, height: 300 };
const LONG = { rows: 3000, cols: 3000 };

test("a map of any size is seen whole: as wide and as high as the room allows", () => {
  assert.equal(wholePlace(LONG, ROOM).scale, 0.1);
  assert.equal(wholePlace({ rows: 2, cols: 4000 }, ROOM).scale, 0.1);
  assert.deepEqual(visibleCells(wholePlace(LONG, ROOM), LONG, ROOM), { rows: [0, 3000], cols: [0, 3000] });
});

test("one cell is no larger than a cell may be, and stands in the middle", () => {
  const one = { rows: 1, cols: 1 };
  const place = wholePlace(one, ROOM);
  assert.deepEqual(place, { row: 0.5, col: 0.5, scale: 96 });
  assert.deepEqual(corner(place, ROOM), { x: 50 + 200 - 48, y: 20 + 150 - 48 });
  assert.deepEqual(cellAt(place, one, ROOM, { x: 250, y: 160 }), { row: 0, col: 0 });
  assert.equal(cellAt(place, one, ROOM, { x: 100, y: 160 }), null);
  assert.equal(urlPlaceOf(place, one, ROOM), null);
});

test("what is under the pointer stays there while it zooms", () => {
  const point = { x: 210, y: 100 };
  const before = pointAt(wholePlace(LONG, ROOM), ROOM, point);
  const after = zoomPlace(wholePlace(LONG, ROOM), LONG, ROOM, point, 12);
  const now = pointAt(after, ROOM, point);
  assert.ok(Math.abs(now.row - before.row) < 1e-6);
  assert.ok(Math.abs(now.col - before.col) < 1e-6);
  assert.ok(Math.abs(after.scale - 1.2) < 1e-9);
});

test("it stays there step by step to and fro, also where the map is narrower or lower than its room", () => {
  const rooms = [ROOM, { left: 60, top: 60, width: 1000, height: 500 }, { left: 60, top: 60, width: 300, height: 500 }];
  for (const room of rooms)
    for (const [right, down] of [
      [0.05, 0.1],
      [0.3, 0.9],
      [0.95, 0.5],
    ]) {
      let place = wholePlace(LONG, room);
      const { x, y } = corner(place, room);
      const side = 3000 * place.scale;
      const point = { x: x + right * side, y: y + down * side };
      for (const factor of [...Array(20).fill(1.2), ...Array(20).fill(1 / 1.2)]) {
        const before = pointAt(place, room, point);
        place = zoomPlace(place, LONG, room, point, factor);
        const now = pointAt(place, room, point);
        assert.ok(Math.abs(now.row - before.row) < 1e-6 && Math.abs(now.col - before.col) < 1e-6);
      }
      assert.ok(isWhole(place, LONG, room));
    }
});

test("the map covers at least where it stands as a whole, and nobody gets farther away than that", () => {
  const near = { row: -5, col: 9999, scale: 10 };
  assert.deepEqual(clampPlace(near, LONG, ROOM), { row: 15, col: 2985, scale: 10 });
  assert.deepEqual(clampPlace({ row: 9, col: 9, scale: 0.001 }, LONG, ROOM), wholePlace(LONG, ROOM));
  const at = panPlace({ row: 1500, col: 1500, scale: 10 }, LONG, ROOM, -100, 50);
  assert.deepEqual(at, { row: 1495, col: 1510, scale: 10 });
  assert.equal(isWhole(zoomPlace(at, LONG, ROOM, { x: 0, y: 0 }, 1e-9), LONG, ROOM), true);
});

test("a cell lies under every point of it and beside none", () => {
  const place = { row: 100, col: 100, scale: 10 };
  assert.deepEqual(cellAt(place, LONG, ROOM, { x: 250, y: 170 }), { row: 100, col: 100 });
  assert.deepEqual(cellAt(place, LONG, ROOM, { x: 249.9, y: 169.9 }), { row: 99, col: 99 });
  assert.equal(cellAt(place, LONG, ROOM, { x: 49, y: 100 }), null);
  assert.equal(cellAt(place, LONG, ROOM, { x: 100, y: 320 }), null);
});

test("a cell that is out of sight comes into it by as little as needed", () => {
  const place = { row: 100, col: 100, scale: 10 };
  assert.deepEqual(placeWithCell(place, LONG, ROOM, { row: 101, col: 99 }), place);
  const after = placeWithCell(place, LONG, ROOM, { row: 130, col: 100 });
  assert.equal(after.col, 100);
  const { rows } = visibleCells(after, LONG, ROOM);
  assert.ok(rows[0] > 100 && rows[1] > 130 && rows[1] < 140);
});

test("a place comes back from the address as it was, in another room around the same cell", () => {
  const place = { row: 1234.5, col: 99.5, scale: 20 };
  const spot = urlPlaceOf(place, LONG, ROOM);
  assert.deepEqual(spot, { row: 1234, col: 99, cells: 15 });
  assert.deepEqual(placeOf(spot, LONG, ROOM), place);
  const wide = { ...ROOM, width: 900, height: 600 };
  assert.deepEqual(placeOf(spot, LONG, wide), { row: 1234.5, col: 99.5, scale: 40 });
  assert.deepEqual(placeOf(null, LONG, ROOM), wholePlace(LONG, ROOM));
});

test("an address that means nothing here leads to what there is", () => {
  const small = { rows: 6, cols: 6 };
  assert.deepEqual(placeOf({ row: 99999, col: 5, cells: 40 }, small, ROOM), wholePlace(small, ROOM));
  assert.equal(placeOf({ row: 3, col: 3, cells: 1 }, small, ROOM).scale, 96);
});

test("between two places zoom goes by equal factors", () => {
  const [from, to] = [
    { row: 0, col: 0, scale: 1 },
    { row: 10, col: 20, scale: 16 },
  ];
  assert.deepEqual(interpolate(from, to, 0.5), { row: 5, col: 10, scale: 4 });
  assert.deepEqual(interpolate(from, to, 1), to);
});
