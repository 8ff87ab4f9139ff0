import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { onStages, whileSeen } from "../../../static/js/core/while-seen.js";

/** A part that notes its updates, seen while `open`. */
function noted() {
  const updates = [];
  const build = () => {
    updates.push("built");
    return {
      update: (state, drawn) => updates.push([state.n, drawn?.n]),
      destroy: () => updates.push("destroyed"),
    };
  };
  return { updates, seen: whileSeen(build, (/** @type {any} */ { open }) => open) };
}
const state = (n, open) => /** @type {any} */ ({ n, open });

describe("a part that is updated while it is seen", () => {
  test("is built when it is first seen, once, and compares with the state that it drew, not with those between", () => {
    const { updates, seen } = noted();
    seen.update(state(1, false));
    assert.deepEqual(updates, []);
    for (const each of [state(2, true), state(3, false), state(4, true)]) seen.update(each);
    seen.destroy();
    assert.deepEqual(updates, ["built", [2, undefined], [4, 2], "destroyed"]);
  });

  test("that was never seen ends without being built", () => {
    const { updates, seen } = noted();
    seen.update(state(1, false));
    seen.destroy();
    assert.deepEqual(updates, []);
  });
});

test("a view on the stages gets its place, and is updated on their tab", () => {
  const calls = [];
  const view = (root) => {
    calls.push(root);
    return { update: (state, previous) => calls.push([state.at, previous?.at]), destroy: () => calls.push("gone") };
  };
  const part = onStages(view)("root", null);
  const at = (at, tab) => part.update({ at, view: { tab } });
  at(1, "heads");
  at(2, "stages");
  at(3, "heads");
  at(4, "stages");
  part.destroy();
  assert.deepEqual(calls, ["root", [2, undefined], [4, 2], "gone"]);
});
