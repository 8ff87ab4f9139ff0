import assert from "node:assert/strict";
import test from "node:test";
import { optionName, pieceName } from "../../../static/js/worth/pieces.js";
import { storeOf } from "../support/state.js";

test("bytes and white space are named as under the sentence; words and signs stand as they are, without spaces", () => {
  const { t } = storeOf("cat");
  const named = ["<A8>", " <A8>", "<E6><88><91>", " cat", ",", "\n", " ", "<s>", "<"].map((token) =>
    pieceName(t, token),
  );
  assert.deepEqual(named, ["byte A8", "byte A8", "我", "cat", ",", "a line break", "a space", "<s>", "<"]);
});

test("the menu names bytes as the chart above it does, and keeps the mark of a leading space", () => {
  const { t } = storeOf("cat");
  const named = ["<B8><8A>", " <A8>", "<E6><88><91>", " cat", "\n", "<s>"].map((piece) => optionName(t, piece));
  assert.deepEqual(named, ["byte B8 8A", "·byte A8", "我", "·cat", "↵", "<s>"]);
});
