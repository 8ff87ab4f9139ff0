import assert from "node:assert/strict";
import test from "node:test";
import { spokenToken } from "../../../static/js/core/spoken-token.js";
import { storeOf } from "../support/state.js";

test("a sign is said by its name, or quoted where it has none; words are said as they are, bytes by number", () => {
  const { t } = storeOf("cat");
  const said = [",", "—", ",\u201d", ",₄", "cat", "the₀", "", "↵", "␣", "⇥"].map((token) => spokenToken(t, token));
  assert.deepEqual(said, ["a comma", "a dash", "“,””", "“,₄”", "cat", "the₀", "", "a line break", "a space", "a tab"]);
  assert.deepEqual(
    ["<E6>", "<E6><88>", "<E6><88><91>"].map((token) => spokenToken(t, token)),
    ["byte E6", "byte E6 88", "我"],
  );
});
