import assert from "node:assert/strict";
import test from "node:test";
import { isDropped, toggleDrop } from "../../../static/js/core/dropped-head.js";

test("a head is dropped once, and put back", () => {
  const place = { layer: 1, head: 2 };
  const drop = toggleDrop({ drop: [[0, 2]] }, place);
  assert.deepEqual(drop, [
    [0, 2],
    [1, 2],
  ]);
  assert.deepEqual([isDropped({ drop }, place), isDropped({ drop }, { layer: 1, head: 0 })], [true, false]);
  assert.deepEqual(toggleDrop({ drop }, place), [[0, 2]]);
});

test("the same heads are the same question, in whatever order they were dropped", () => {
  const places = [
    { layer: 1, head: 10 },
    { layer: 0, head: 3 },
    { layer: 1, head: 9 },
  ];
  const drop = places.reduce((drop, place) => toggleDrop({ drop }, place), []);
  assert.deepEqual(drop, [
    [0, 3],
    [1, 9],
    [1, 10],
  ]);
});

test("a head is dropped in its own layer alone", () => {
  const dropped = { drop: [[1, 2]] };
  const places = [1, 0].flatMap((layer) => [2, 1].map((head) => ({ layer, head })));
  assert.deepEqual(
    places.map((place) => isDropped(dropped, place)),
    [true, false, false, false],
  );
});
