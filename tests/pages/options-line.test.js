/** The line above the options says what is set, where the options themselves are folded away. */

import assert from "node:assert/strict";
import test from "node:test";
import { openCompare } from "./support/compare.js";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";

test("one line says what is set", async (t) => {
  const page = await openExplore(t);
  const line = await page.see("#options > .summary-line");
  const says = (text) => page.until(() => assert.equal(line.textContent, text));
  await says("seeded weights · 1 layer × 4 heads · causal");
  await page.drawer();
  assert.equal(line.getAttribute("aria-expanded"), "true");
  await page.ask(async () => page.fill(await page.field("heads"), "1"));
  await page.ask(async () => page.choose(await page.field("Mask"), "none"));
  const scale = page.in(page.one("#options")).getByRole("combobox", { name: "Scale" });
  await page.ask(() => page.choose(scale, "none"));
  const temperature = page.in(page.one("#options")).getByRole("spinbutton", { name: /^Temperature/ });
  await page.ask(() => page.fill(temperature, "2"));
  await says("seeded weights · 1 layer × 1 head · no mask · unscaled · T 2");
});

full("each side of a comparison has its line", async (t) => {
  const page = await openCompare(t, "/compare?b.causal=false&b.temperature=2");
  const says = (side, words) =>
    page.until(() => {
      const line = page.one(`#${side} .options > .summary-line`);
      assert.equal(line.textContent, `seeded weights · 1 layer × 4 heads · ${words}`);
    });
  await says("a", "causal");
  await says("b", "no mask · T 2");
});
