import assert from "node:assert/strict";
import test from "node:test";
import { marked } from "../../../static/js/sentence/seen-line.js";
import { newDocument } from "../support/document.js";

newDocument();
const t = (key) => (key === "line" ? "{token} looks at {other}, {weight}." : key);

test("a line marks tokens and weights, and shortens a token that would fill the page", () => {
  const [, token, looks, other, , weight] = marked(t, "line", { token: "cat", other: "𝒳".repeat(100), weight: "0.5" });
  assert.deepEqual([token.tagName, token.textContent, looks], ["EM", "cat", " looks at "]);
  assert.equal(other.textContent, `${"𝒳".repeat(60)}…`);
  assert.deepEqual([weight.tagName, weight.textContent], ["B", "0.5"]);
});
