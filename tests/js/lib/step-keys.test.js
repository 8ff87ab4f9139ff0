import assert from "node:assert/strict";
import test, { describe } from "node:test";
import {
  isShortcut,
  placeAround,
  stepOf,
  cellAfter,
  placeAfter,
  placeBeside,
} from "../../../static/js/lib/step-keys.js";

describe("step keys", () => {
  const key = (name, held = {}) => ({ key: name, ctrlKey: false, metaKey: false, altKey: false, ...held });

  test("in a row that goes round a step beyond one end leads to the other", () => {
    const around = (name, at) => placeAround(key(name), at, 7);
    assert.deepEqual([around("ArrowLeft", 0), around("ArrowRight", 6), around("ArrowRight", 3)], [6, 0, 4]);
    assert.deepEqual([around("Home", 3), around("End", 3), around("ArrowUp", 3), around("a", 3)], [0, 6, null, null]);
  });

  test("other keys walk nowhere, nor do the browser's own", () => {
    assert.equal(stepOf(key("Enter")), null);
    for (const held of ["ctrlKey", "metaKey", "altKey"]) {
      assert.ok(isShortcut(key("ArrowLeft", { [held]: true })));
      assert.equal(placeAround(key("ArrowLeft", { [held]: true }), 3, 20), null);
    }
  });
});

describe("grid keys", () => {
  const key = (name, held = {}) => ({ key: name, ctrlKey: false, metaKey: false, altKey: false, ...held });
  const SIZE = { rows: 12, cols: 4 };

  test("arrows go to the next cell, pages ten rows, Home and End to the ends of the row", () => {
    const to = (name, row, col) => Object.values(cellAfter(key(name), { row, col }, SIZE));
    assert.deepEqual(to("ArrowUp", 5, 2), [4, 2]);
    assert.deepEqual(to("ArrowDown", 5, 2), [6, 2]);
    assert.deepEqual(to("ArrowLeft", 5, 2), [5, 1]);
    assert.deepEqual(to("ArrowRight", 5, 2), [5, 3]);
    assert.deepEqual(to("PageDown", 0, 2), [10, 2]);
    assert.deepEqual(to("Home", 5, 2), [5, 0]);
    assert.deepEqual(to("End", 5, 2), [5, 3]);
  });

  test("no key leads out of the grid", () => {
    const to = (name, row, col) => Object.values(cellAfter(key(name), { row, col }, SIZE));
    assert.deepEqual(to("ArrowUp", 0, 0), [0, 0]);
    assert.deepEqual(to("PageUp", 3, 1), [0, 1]);
    assert.deepEqual(to("PageDown", 5, 1), [11, 1]);
    assert.deepEqual(to("ArrowRight", 0, 3), [0, 3]);
  });

  test("along a list both arrows lead on", () => {
    const to = (name, at) => placeAfter(key(name), at, 20);
    assert.deepEqual([to("ArrowDown", 3), to("ArrowRight", 3), to("ArrowUp", 3), to("ArrowLeft", 3)], [4, 4, 2, 2]);
    assert.deepEqual([to("Home", 3), to("End", 3), to("PageDown", 15), to("PageUp", 3)], [0, 19, 19, 0]);
  });

  test("along a row no key leads up or down", () => {
    const beside = (name, at) => placeBeside(key(name), at, 7);
    assert.deepEqual([beside("ArrowLeft", 3), beside("ArrowRight", 3), beside("ArrowRight", 6)], [2, 4, 6]);
    assert.deepEqual(
      [beside("Home", 3), beside("End", 3), beside("ArrowDown", 3), beside("PageUp", 3)],
      [0, 6, null, null],
    );
  });

  test("other keys walk nowhere, nor do the browser's own", () => {
    assert.equal(cellAfter(key("a"), { row: 0, col: 0 }, SIZE), null);
    for (const held of ["ctrlKey", "metaKey", "altKey"])
      for (const place of [placeAfter, placeBeside])
        assert.equal(place(key("ArrowLeft", { [held]: true }), 3, 20), null);
  });
});
