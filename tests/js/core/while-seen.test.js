import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { whileSeen } from "../../../static/js/core/while-seen.js";

/** A part that notes its updates, seen while `open`. */
function noted() {
  const updates = [];
  const part = {
    update: (state, drawn) => updates.push([state.n, drawn?.n]),
    destroy: () => updates.push("destroyed"),
  };
  return { updates, seen: whileSeen(/** @type {any} */ (part), (/** @type {any} */ { open }) => open) };
}
const state = (n, open) => /** @type {any} */ ({ n, open });

describe("a part that is updated while it is seen", () => {
  test("compares with the state that it drew, not with those between", () => {
    const { updates, seen } = noted();
    for (const each of [state(1, true), state(2, false), state(3, true)]) seen.update(each);
    assert.deepEqual(updates, [
      [1, undefined],
      [3, 1],
    ]);
  });

  test("ends when the page leaves it, seen or not", () => {
    const { updates, seen } = noted();
    seen.update(state(1, false));
    seen.destroy();
    assert.deepEqual(updates, ["destroyed"]);
  });
});
