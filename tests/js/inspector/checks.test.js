import assert from "node:assert/strict";
import test from "node:test";
import { checks } from "../../../static/js/inspector/checks.js";
import { newDocument } from "../support/document.js";
import { answer } from "../support/sent.js";

newDocument();
const t = (key, values = {}) => `${key} ${Object.values(values).join(" ")}`.trim();

/** What is written of the queries that see nothing. */
function blind(name, change = {}) {
  const { reply } = answer(name);
  const root = checks({ t }, { ...reply, checks: { ...reply.checks, ...change } }, false);
  const words = root.textContent;
  return words.slice(words.indexOf("checks.masked") + "checks.masked".length, words.indexOf("checks.non_finite"));
}

test("of queries that see nothing, those that pad a shorter text are told apart", () => {
  assert.equal(blind("cat"), "0");
  assert.equal(blind("cat", { fully_masked_rows: 2 }), "2");
  assert.equal(blind("batch"), "checks.padded 3 3");
  assert.equal(blind("batch", { fully_masked_rows: 4 }), "checks.padded 4 3");
});
