import assert from "node:assert/strict";
import test from "node:test";
import { ExactNumber, tilePlaceOf } from "../../../static/js/map/exact-number.js";
import { file } from "../support/made.js";
import { settle, stopClock } from "../support/clock.js";
import { refused, serve } from "../support/server.js";

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

test("one that does not come is asked for at the next look; nobody waits after the end", async () => {
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
