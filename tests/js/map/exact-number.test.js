import assert from "node:assert/strict";
import test, { describe } from "node:test";
import { ExactNumber, tilePlaceOf, largest, strongestIn } from "../../../static/js/map/exact-number.js";
import { settle, stopClock } from "../support/clock.js";
import { file } from "../support/made.js";
import { refused, serve } from "../support/server.js";

describe("exact number", () => {
  const clock = stopClock();

  /** A sheet of 1,024 × 1,024 cells, three levels. */
  function sheet() {
    const wanted = [];
    const blocks = { at: (row, col) => (wanted.length ? row + col : undefined), want: (spans) => wanted.push(spans) };
    return {
      wanted,
      sheet: {
        key: "sheet",
        named: { trace: "abc", question: {} },
        selected: { stage: "weights", layer: 0, head: 0, batch: 0 },
        reduce: "max",
        extent: { levels: 3 },
        blocks,
      },
    };
  }
  const tile = () => file({}, { "layers.0.weights": { shape: [2, 3], values: [1, 2, 3, 4, 5, 6] } });

  test("a cell lies in a tile of the level that is drawn", () => {
    assert.deepEqual(tilePlaceOf(3, 1, { row: 700, col: 3 }), { tile: { z: 2, row: 2, col: 0 }, y: 188, x: 3 });
    assert.deepEqual(tilePlaceOf(3, 4, { row: 700, col: 3 }), { tile: { z: 0, row: 0, col: 0 }, y: 175, x: 0 });
  });

  test("one cell is asked for out of the stage, once the hand rests, before what stands around it", async () => {
    const exact = new ExactNumber(() => {});
    const { sheet: map, wanted } = sheet();
    exact.want(map, 1, { row: 3, col: 4 }, []);
    exact.want(map, 1, { row: 5, col: 6 }, ["beside"]);
    await clock.pass(59);
    assert.deepEqual(wanted, []);
    await clock.pass(1);
    assert.deepEqual(wanted, [[{ rows: [5, 6], cols: [6, 7] }, "beside"]]);
    assert.equal(exact.numberOf(map, 1, { row: 5, col: 6 }), 11);
  });

  test("a square is asked for as a cell of its tile, which is kept", async () => {
    let came = 0;
    const exact = new ExactNumber(() => (came += 1));
    const { sheet: map } = sheet();
    const asked = serve(tile);
    exact.want(map, 4, { row: 5, col: 9 }, []);
    await clock.pass(60);
    assert.match(asked[0].path, /tiles\/weights\/0\/0\/0\/0\/0\?reduce=max&format=safetensors&batch=0$/);
    assert.equal(exact.numberOf(map, 4, { row: 5, col: 9 }), 6);
    assert.equal(came, 1);
    exact.want(map, 4, { row: 0, col: 0 }, []);
    await clock.pass(60);
    assert.equal(asked.length, 1);
  });

  test("a number that fails is requested at the next visit; no request waits after the end", async () => {
    const exact = new ExactNumber(() => assert.fail("nothing came"));
    const { sheet: map } = sheet();
    const asked = serve(() => refused(500, "internal"));
    exact.want(map, 2, { row: 0, col: 0 }, []);
    await clock.pass(60);
    exact.want(map, 2, { row: 0, col: 1 }, []);
    await clock.pass(60);
    await settle();
    assert.equal(asked.length, 2);
    exact.want(map, 2, { row: 0, col: 1 }, []);
    exact.destroy();
    assert.equal(clock.waiting, 0);
  });
});

describe("strongest", () => {
  const { signal } = new AbortController();
  const sheet = (n, levels) => ({
    named: { trace: "abc", question: {} },
    selected: { stage: "weights", layer: 0, head: 0, batch: 0 },
    extent: { levels },
    size: { rows: n, cols: n },
  });

  test("the first of the largest, within a square and the edge", () => {
    const numbers = { rows: 2, cols: 3, values: [9, 1, 5, 2, 5, 8] };
    assert.deepEqual(largest(numbers, { row: 0, col: 1 }, 9), { row: 1, col: 2 });
    assert.deepEqual(largest(numbers, { row: 0, col: 1 }, 1), { row: 0, col: 1 });
    assert.deepEqual(largest({ rows: 1, cols: 2, values: [-Infinity, -Infinity] }, { row: 0, col: 0 }, 2), {
      row: 0,
      col: 0,
    });
  });

  test("a small square is asked for whole, cut at the edge of the map", async () => {
    const asked = serve(() => ({
      values: [
        [0.1, 0.2],
        [0.9, 0.3],
      ],
    }));
    assert.deepEqual(await strongestIn(sheet(1002, 3), { row: 1000, col: 1000 }, 4, signal), { row: 1001, col: 1000 });
    assert.match(asked[0].path, /rows=1000%3A1002&cols=1000%3A1002$/);
  });

  test("a large one is found in two steps: which part of it, and where in that", async () => {
    const values = new Array(256 * 256).fill(0);
    values[3 * 256 + 200] = 1;
    const asked = serve(({ path }) =>
      path.includes("tiles")
        ? file({}, { "layers.0.weights": { shape: [256, 256], values } })
        : {
            values: [
              [0.1, 0.2],
              [0.3, 0.7],
            ],
          },
    );
    const found = await strongestIn(sheet(131_072, 10), { row: 512, col: 1024 }, 512, signal);
    assert.match(asked[0].path, /tiles\/weights\/0\/0\/8\/1\/2\?reduce=max/);
    assert.deepEqual(found, { row: 512 + 6 + 1, col: 1024 + 400 + 1 });
  });

  test("in between, part of a tile is looked through", async () => {
    const values = new Array(256 * 256).fill(0);
    values[130 * 256 + 131] = 1;
    values[0] = 5; // outside the square
    const asked = serve(() => file({}, { "layers.0.weights": { shape: [256, 256], values } }));
    assert.deepEqual(await strongestIn(sheet(40_000, 9), { row: 128, col: 128 }, 128, signal), { row: 130, col: 131 });
    assert.equal(asked.length, 1);
  });
});
