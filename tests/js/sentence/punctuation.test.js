import assert from "node:assert/strict";
import test from "node:test";
import { saidOf } from "../../../static/js/sentence/punctuation.js";
import { storeOf } from "../support/state.js";

test("a sign is said by its name, or quoted where it has none; words and bytes are said as they are", () => {
  const { t } = storeOf("cat");
  const said = [",", "—", ",\u201d", ",₄", "cat", "the₀", "␣", "<E6>", ""].map((token) => saidOf(t, token));
  assert.deepEqual(said, ["a comma", "a dash", "“,””", "“,₄”", "cat", "the₀", "␣", "<E6>", ""]);
});
