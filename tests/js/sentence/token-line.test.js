import assert from "node:assert/strict";
import test from "node:test";
import { formatCaption } from "../../../static/js/sentence/token-line.js";
import { newDocument } from "../support/document.js";

newDocument();
const t = (/** @type {string} */ key) => (key === "line" ? "{token} looks at {other}, {weight}." : key);

test("a line marks tokens and weights, and shortens a token that would fill the page", () => {
  const line = document.createElement("p");
  line.append(...formatCaption(t, "line", { token: "cat", other: "𝒳".repeat(100), weight: "0.5" }));
  assert.equal(line.textContent, `cat looks at ${"𝒳".repeat(60)}…, 0.5.`);
  assert.equal(line.querySelectorAll("em").length, 2);
  assert.equal(line.querySelector("b")?.textContent, "0.5");
});
