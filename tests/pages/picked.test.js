/** Tokens picked among the chips: where they look, what looks at them, and their sum. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { stageCells, written } from "./support/cells.js";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";
import { textOf, textsOf } from "./support/texts.js";

const chip = (page, at) => page.all("#tokens [role=option]")[at];
const panel = (page) => page.one("#picked");
const title = (page) => textOf(page.one("#picked h2"));

async function weightsOf(page, head = 0) {
  return stageCells(await page.answer(), "weights", { layer: 0, head, batch: 0 });
}

/** Waits until the bars have these numbers. */
const reads = (page, numbers) =>
  page.until(() =>
    assert.deepEqual(
      textsOf(page.all("#picked .number")),
      numbers.map((one) => written(one)),
    ),
  );

describe("picked", () => {
  const visit = onePage();

  test("a pressed token shows where it looks, and what looks at it", async () => {
    const page = await visit();
    assert.deepEqual(
      page.scripts.filter((path) => path.endsWith("/token-sums.js")),
      [],
    );
    const weights = await weightsOf(page);
    await page.click(chip(page, 7));
    const row = weights[7].slice(0, 8);
    await reads(page, row);
    const entropy = -row.reduce((sum, weight) => sum + weight * Math.log(weight), 0);
    assert.ok(textOf(panel(page)).includes(`total 1.00 · entropy ${entropy.toFixed(2)} nats`));
    await page.addressHas("picked=query.7");
    await page.click(chip(page, 7));
    await page.until(() => assert.equal(panel(page).textContent, ""));
    await page.click(chip(page, 1));
    await page.click(await page.in(panel(page)).findByLabelText("who looks at them"));
    await reads(
      page,
      weights.slice(1).map((line) => line[1]),
    );
  });

  test("several tokens are summed, and back takes the last one away", async () => {
    const page = await visit();
    await page.click(chip(page, 3));
    await page.user.keyboard("{Shift>}");
    await page.click(chip(page, 5));
    await page.user.keyboard("{/Shift}");
    const [one, other] = [3, 5].map(
      (
        (weights) => (at) =>
          weights[at]
      )(await weightsOf(page)),
    );
    await reads(
      page,
      other.slice(0, 6).map((weight, at) => weight + (one[at] ?? 0)),
    );
    assert.equal(title(page), "cross + street");
    assert.ok(textOf(panel(page)).includes("total 2.00"));
    page.back();
    await page.until(() => assert.equal(title(page), "cross"));
  });

  full("the sum follows the selected head and the chosen heads", async () => {
    const page = await visit();
    await page.click(chip(page, 4));
    await page.click(page.one('.thumbnail[data-head="2"]'));
    await reads(page, (await weightsOf(page, 2))[4].slice(0, 5));
    await page.walk("/?tab=heads&heads=0.1_0.3&picked=query.4");
    await page.until(() => assert.ok(textOf(panel(page)).includes("Mean of 2 heads")));
    const [one, other] = [(await weightsOf(page, 1))[4], (await weightsOf(page, 3))[4]];
    await reads(
      page,
      one.slice(0, 5).map((weight, at) => (weight + other[at]) / 2),
    );
  });

  test("a bar that is pressed pins its cell", async () => {
    const page = await visit();
    await page.click(chip(page, 7));
    await page.until(() => assert.equal(page.all("#picked .bars button").length, 8));
    await page.click(page.all("#picked .bars button")[5]);
    await page.addressHas("cell=weights.7.5");
    await page.until(() => assert.ok(textOf(page.inspector).includes("it → street")));
  });
});
