/** The three lines over the pictures: what a first press can do. */

import assert from "node:assert/strict";
import test from "node:test";
import { stageCells, written } from "./support/cells.js";
import { SEEDED, openExplore } from "./support/explore.js";
import { full } from "./support/full.js";

const FIRST = "#first";
const line = (page, name) => page.in(page.one(FIRST)).queryByRole("button", { name: new RegExp(name) });
const PLACE = { layer: 0, head: 0, batch: 0 };

for (const [given, address, [row, col], words] of [
  ["of random weights", SEEDED, [10, 1], "The largest weight in this row"],
  [
    "the strongest of the last query",
    "/?text=a%20b%20c&source=crafted&name=previous_token",
    [2, 1],
    "This head looks at b",
  ],
])
  test(`the first line pins a weight: ${given}`, async (t) => {
    const page = await openExplore(t, address);
    const weight = stageCells(await page.answer(), "weights", PLACE)[row][col];
    const looks = await page.until(() => {
      const found = line(page, words);
      assert.ok(found?.textContent.includes(weight.toFixed(2)));
      return found;
    });
    await page.click(looks);
    await page.until(() => assert.equal(page.one("output", page.inspector).textContent, written(weight)));
    await page.addressHas(`cell=weights.${row}.${col}`);
    await page.see(".pinned", page.card("weights"));
    assert.equal(line(page, words), null);
    await page.open(address);
    await page.until(() => assert.ok(line(page, "Drop the head")));
    assert.equal(line(page, words), null);
  });

full("the second line says “so” only where the head looks at what the model expects", async (t) => {
  const page = await openExplore(t, "/");
  const says = (words) =>
    page.until(() => assert.ok(page.in(page.one(FIRST)).getAllByRole("listitem")[1].textContent.includes(words)));
  const choose = (head) => page.click(page.in(page.one("#looks")).getByText(head).closest("button, .head-chip"));
  await says("so the model expects");
  await choose("L0 H1");
  await says("The model expects");
  await choose("L1 H1");
  await says("so the model expects");
  await page.click(line(page, "Drop the head"));
  await says("The model expects");
});

test("the other lines read on and drop the head, until the lines are closed", async (t) => {
  const page = await openExplore(t, "/");
  await page.click(await page.until(() => line(page, "so the model expects") ?? assert.fail()));
  await page.addressHas("tab=worth");
  const body = await page.ask(async () => page.click(line(page, "Drop the head")));
  assert.equal(body.drop.length, 1);
  await page.addressHas("drop=");
  await page.click(page.button("Close these lines", page.one(FIRST)));
  await page.until(() => assert.equal(page.one(FIRST).hidden, true));
});
