import assert from "node:assert/strict";
import test from "node:test";
import { Problem } from "../../../static/js/core/api.js";
import { Blocks } from "../../../static/js/map/blocks.js";
import { settle } from "../support/clock.js";

/** Blocks whose cells are 100 · row + col. */
function blocks(size = { rows: 70, cols: 40 }, fail = false) {
  const asked = [];
  let came = 0;
  const ask = async (span, signal) => {
    asked.push({ span, signal });
    if (fail) throw new Problem({ status: 503, code: "busy" });
    const [high, wide] = [span.rows, span.cols].map(([start, end]) => end - start);
    const values = Array.from(
      { length: high * wide },
      (_, at) => 100 * (span.rows[0] + Math.floor(at / wide)) + span.cols[0] + (at % wide),
    );
    return { rows: high, cols: wide, values };
  };
  return { asked, calls: () => came, of: new Blocks(ask, size, () => (came += 1)) };
}

test("the numbers around a cell come in one block, cut at the edge of the map", async () => {
  const { of, asked, calls } = blocks();
  assert.equal(of.at(69, 39), undefined);
  of.want([{ rows: [69, 70], cols: [39, 40] }]);
  await settle();
  assert.deepEqual(asked[0].span, { rows: [64, 70], cols: [32, 40] });
  assert.equal(of.at(69, 39), 6939);
  assert.equal(of.at(64, 32), 6432);
  assert.equal(of.at(63, 32), undefined);
  assert.equal(calls(), 1);
});

test("two at once, those that were wanted before called back, none asked for twice", async () => {
  const { of, asked } = blocks({ rows: 1000, cols: 1000 });
  of.want([{ rows: [0, 64], cols: [0, 64] }]);
  assert.equal(asked.length, 2);
  of.want([{ rows: [0, 1], cols: [0, 1] }]);
  assert.deepEqual(
    asked.map(({ signal }) => signal.aborted),
    [false, true],
  );
  await settle();
  of.want([{ rows: [0, 20], cols: [0, 20] }]);
  await settle();
  assert.equal(asked.length, 2);
});

test("a block that does not come is left until the next look", async () => {
  const { of, asked } = blocks(undefined, true);
  of.want([{ rows: [0, 1], cols: [0, 1] }]);
  await settle();
  assert.equal(asked.length, 1);
  of.want([{ rows: [0, 1], cols: [0, 1] }]);
  assert.equal(asked.length, 2);
  of.destroy();
});

test("a block that was called back and is wanted again meanwhile comes", async () => {
  const asked = [];
  const ask = async (span, signal) => {
    asked.push(span);
    if (asked.length > 1) return { rows: 32, cols: 32, values: new Array(1024).fill(7) };
    return new Promise((_, reject) => signal.addEventListener("abort", () => setImmediate(reject, signal.reason)));
  };
  const of = new Blocks(ask, { rows: 1000, cols: 1000 }, () => {});
  const here = [{ rows: [0, 1], cols: [0, 1] }];
  of.want(here);
  of.want([]);
  of.want(here);
  await settle();
  await settle();
  assert.equal(of.at(0, 0), 7);
  assert.equal(asked.length, 2);
});
