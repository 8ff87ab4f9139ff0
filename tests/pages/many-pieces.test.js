/** Texts that a model cuts into many pieces, and the order of the tabs. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { openExplore } from "./support/explore.js";

const about = (page) => page.document.querySelector("#looks .many-pieces:not([hidden])");
const ECHO = "/?source=installed&name=echo&text=";

test("a text that a model reads as bytes says so, and a press asks the model that reads it", async (context) => {
  const page = await openExplore(context, `${ECHO}${encodeURIComponent("The animal didn't cross the street")}`);
  await page.see("#looks .word-switch");
  assert.equal(about(page), null);
  await page.walk(`${ECHO}${encodeURIComponent("床前明月光")}`);
  await page.until(() =>
    assert.match(about(page)?.textContent, /^echo knows 8,192 pieces of English\. It reads characters .* as bytes\./),
  );
  await page.click(page.in(about(page)).getByRole("button", { name: "echo-zh" }));
  await page.addressHas("name=echo-zh");
  await page.until(() => assert.equal(about(page), null));
  await page.walk(`${ECHO}unbelievably%20heterogeneous%20photosynthesis`);
  await page.until(() => assert.match(about(page)?.textContent, /It needs \d\.\d for a word of this text\./));
  await page.click(page.in(about(page)).getByRole("button", { name: "whole words, random weights" }));
  await page.until(() => assert.match(page.one(".seen-line").textContent, /^These weights are random/));
});

test("tabs stand in three groups", async (context) => {
  const page = await openExplore(context);
  assert.deepEqual(
    page.all("#tabs > div").map((group) => page.all("[role=tab]", group).map(({ id }) => id.slice(4))),
    [["stages", "heads", "lines", "map", "decode"], ["worth", "gradients", "parameters"], ["lab"]],
  );
  assert.equal(page.one("#tab-worth").getAttribute("aria-description"), "Why");
});
