import assert from "node:assert/strict";
import test from "node:test";
import { pieceName } from "../../../static/js/worth/pieces.js";
import { storeOf } from "../support/state.js";

test("bytes and white space are named as under the sentence; words and signs stand as they are, without spaces", () => {
  const { t } = storeOf("cat");
  const named = ["<A8>", " <A8>", "<E6><88><91>", " cat", ",", "\n", " ", "<s>", "<"].map((token) =>
    pieceName(t, token),
  );
  assert.deepEqual(named, ["byte A8", "byte A8", "我", "cat", ",", "a line break", "a space", "<s>", "<"]);
});
