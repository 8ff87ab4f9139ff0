import test from "node:test";
import assert from "node:assert/strict";
import { openExplore } from "./support/explore.js";
test("first", async (t) => {
  const page = await openExplore(t);
  await page.shows(page.question(), ["x", "q", "weights", "masked_scores", "output"]);
  await page.user.click(page.in().getByRole("tab", { name: "Heads" }));
  await page.until(() => assert.equal(page.all(".tile").length, 4));
  await page.addressHas("tab=heads");
  page.back();
  await page.addressLacks("tab=heads");
});
