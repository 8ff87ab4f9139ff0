import assert from "node:assert/strict";
import test from "node:test";
import { onStages } from "../../../static/js/pages/on-stages.js";

test("a view among the stages is made when they are first seen, once, and told what it drew before", () => {
  const told = [];
  const view = (root) => {
    told.push(root);
    return { update: (state, previous) => told.push([state.at, previous?.at]), destroy: () => told.push("gone") };
  };
  const part = onStages(view)("root", null);
  const at = (at, tab) => part.update({ at, view: { tab } });
  at(1, "heads");
  assert.deepEqual(told, []);
  at(2, "stages");
  at(3, "heads");
  at(4, "stages");
  part.destroy();
  assert.deepEqual(told, ["root", [2, undefined], [4, 2], "gone"]);
});

test("one that was never seen goes without a word", () => {
  const part = onStages(() => assert.fail("it was made"))("root", null);
  part.update({ view: { tab: "heads" } });
  part.destroy();
});
