import assert from "node:assert/strict";
import test from "node:test";
import { isShortcut, placeAround, stepOf } from "../../../static/js/lib/step-keys.js";

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
