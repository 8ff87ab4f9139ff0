import assert from "node:assert/strict";
import test from "node:test";
import { arcOf, thickness } from "../../../static/js/sentence/arc-layer.js";

const at = (left, top = 50) => ({ left, top, width: 20, height: 30 });
const numbers = (d) => d.match(/-?[\d.]+/g).map(Number);

test("over a line an arc goes from middle to middle and rises with the distance, as far as there is room", () => {
  const { d, from, to } = arcOf(at(100), at(0), 60);
  assert.deepEqual(
    [from, to],
    [
      { x: 110, y: 50 },
      { x: 10, y: 50 },
    ],
  );
  const [, , , handle] = numbers(d);
  assert.equal(handle, 50 - 42 / 0.75);
  assert.equal(numbers(arcOf(at(900), at(0), 60).d)[3], 50 - 60 / 0.75);
});

test("from line to line a curve leaves the upper one below and reaches the lower one above", () => {
  const down = arcOf(at(0, 0), at(100, 100), 40);
  assert.deepEqual([down.from.y, down.to.y], [30, 100]);
  const up = arcOf(at(0, 100), at(100, 0), 40);
  assert.deepEqual([up.from.y, up.to.y], [100, 30]);
});

test("a token that looks at itself has a loop over it", () => {
  const { from, to } = arcOf(at(0), at(0), 40);
  assert.equal(from.y, 50);
  assert.ok(from.x < 10 && to.x > 10);
});

test("arcs are as thick as weights, and the least can still be seen", () => {
  assert.equal(thickness(1, 30), 2 * thickness(0.5, 30));
  assert.ok(thickness(0.001, 30) > 0.5);
});
