import assert from "node:assert/strict";
import test from "node:test";
import { newDocument } from "../support/document.js";

newDocument();
const { beginningOf } = await import("../../../static/js/stages/token-chips.js");
const labels = (...texts) => texts.map((text) => ({ text, index: null }));

test("a text of a batch is named by its first tokens, cut only if there are more", () => {
  assert.equal(beginningOf(labels("a", "b")), "a b");
  assert.equal(beginningOf(labels("a", " b", " c", " d", " e")), "a b c d…");
  assert.equal(
    beginningOf([
      { text: "H", index: null },
      { text: "i", index: null, joined: true },
    ]),
    "Hi",
  );
  assert.equal(beginningOf(labels("<E6>", "<88>", "<91>").map((label) => ({ ...label, joined: true }))), "我");
});
