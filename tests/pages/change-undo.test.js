/** Undo and redo of changes, by button, by key and by the history of the page. */

import assert from "node:assert/strict";
import test from "node:test";
import { isTyped, openTyped, redo, tool, type, typed, undo } from "./support/changes.js";
import { full } from "./support/full.js";

const EXPLICIT = "/?source=explicit&text=a%20b&cell=w_q.0.1";

test("every change is undone and redone", async (t) => {
  const page = await openTyped(t, EXPLICIT);
  const first = page.question();
  assert.equal(page.in(page.one("#change")).queryByRole("button", { name: /^Undo/ }), null);
  const changed = await type(page, "5");
  await page.user.keyboard("{Enter}");
  const mask = await page.field("Mask");
  const masked = await page.ask(() => page.choose(mask, "none"));
  assert.equal(masked.causal, false);
  await page.shows(masked);
  mask.blur();
  await page.user.keyboard("{Control>}z{/Control}");
  await page.shows(changed, ["q", "weights"]);
  (await typed(page)).focus();
  await page.user.keyboard("{Control>}z{/Control}");
  await isTyped(page, "0");
  await page.shows(first, ["q", "weights"]);
  await page.user.keyboard("{Control>}{Shift>}Z{/Shift}{/Control}");
  await page.shows(changed, ["q", "weights"]);
  await redo(page);
  await page.shows(masked);
  assert.equal(tool(page, /^Redo/).disabled, true);
  page.back(); // the history of the window has each of these states too
  await page.shows(changed, ["q", "weights"]);
});

full("what is typed in one go is one step", async (t) => {
  const page = await openTyped(t, EXPLICIT);
  const first = page.question();
  await page.user.click(await typed(page));
  await page.user.keyboard("12.5");
  await page.until(() => assert.equal(page.question().model.w_q?.[0][1], 12.5));
  await page.shows(page.question(), ["q"]);
  await undo(page);
  await page.shows(first, ["q"]);
  assert.equal(tool(page, /^Undo/).disabled, true);
});

full("what is typed and typed back is no step of undo", async (t) => {
  const page = await openTyped(t, EXPLICIT);
  const first = page.question();
  await page.shows(await type(page, "5"), ["q"]);
  await page.drawer();
  const temperature = page.in(page.one("#options")).getByRole("spinbutton", { name: "Temperature" });
  await page.ask(() => page.fill(temperature, "2"));
  await page.user.keyboard("{Enter}");
  await page.fill(temperature, "1");
  await page.user.keyboard("{Enter}");
  await undo(page);
  await isTyped(page, "0");
  await page.shows(first, ["q", "weights"]);
  assert.equal(tool(page, /^Undo/).disabled, true);
});
