import assert from "node:assert/strict";
import test from "node:test";
import { hasPairBox } from "../../../static/js/question/extra-text-boxes.js";
import { page } from "../support/sent.js";

test("words may have a second sentence where the model reads two, and where it does not, as long as one is asked", () => {
  const all = { ...page, installed: [{ name: "encoder", pairs: true }, { name: "writer" }] };
  const model = (name) => ({ source: "installed", name });
  const has = (name, more = {}) => hasPairBox(all, { x: null, tokens: null, pair: null, ...more, model: model(name) });
  assert.deepEqual(
    [has("encoder"), has("encoder", { x: [[1]] }), has("encoder", { tokens: ["a"] })],
    [true, false, false],
  );
  assert.deepEqual([has("writer"), has("writer", { pair: "a" })], [false, true]);
  assert.equal(hasPairBox(page, { x: null, tokens: null, pair: null, model: { source: "seeded" } }), false);
});
