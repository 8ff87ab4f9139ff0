/** Rollout: the layers as one picture, among the heads. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alike, cellColors, pictureOf } from "./support/cells.js";
import { onePage } from "./support/one-page.js";

const WORDS = [3, 6]; // of each sentence
const QUESTION = "num_layers=3&d_model=16&text=the%20cat%20sat%0Athe%20cat%20sat%20on%20the%20mat";
const CANVAS = ".together canvas[data-head]";

async function openRollout(visit, more, question = QUESTION) {
  const page = await visit(`/?tab=heads&${question}${more}`);
  await page.see(".together");
  return page;
}

const heading = (page) => page.in(page.one(".together")).getAllByRole("heading")[0].textContent;
const combination = (page) => page.in(page.one(".together")).getByLabelText("Several heads as");

/** Waits until the picture is what the server says; padding is no cell. */
async function shows(page, layer, batch, way = {}) {
  await page.see(CANVAS);
  const [map] = (await page.fromTrace("rollout", { layer, batch, ...way })).maps;
  const cells = map.map((line, row) => line.map((value, col) => (Math.max(row, col) < WORDS[batch] ? value : null)));
  const wanted = cellColors(cells, null, page.pageData().colors.light);
  await page.until(() => assert.ok(alike(pictureOf(page.one(CANVAS)), wanted), `the rollout up to layer ${layer}`));
}

describe("rollout", () => {
  const visit = onePage();

  test("the rollout up to each layer is drawn, and comes back after a reload", async () => {
    const page = await openRollout(visit, "&batch=1");
    await page.see(CANVAS);
    await page.choose(combination(page), "rollout");
    await shows(page, 0, 1);
    for (const layer of [2, 1]) {
      const list = page.in(page.one(".together")).getByRole("combobox", { name: "layer" });
      await page.choose(list, String(layer));
      await page.until(() => assert.equal(heading(page), `Rollout up to layer ${layer}`));
      await shows(page, layer, 1);
    }
    await page.addressHas("rollout=true");
    await page.reload();
    await page.see(".together");
    await shows(page, 1, 1);
    assert.match(page.one(".together").textContent, /passes half of a row on as it is/);
  });

  test("heads come together by their maximum, and the lowest weights are left out", async () => {
    const page = await openRollout(visit, "&rollout=true&layer=2&batch=1");
    const choose = (name, value) => page.choose(page.in(page.one(".together")).getByLabelText(name), value);
    await choose("heads by", "max");
    await shows(page, 2, 1, { combine: "max" });
    assert.equal(heading(page), "Rollout of maxima up to layer 2");
    assert.match(page.one(".together").textContent, /brings the sum of the row back to 1/);
    await choose("lowest left out", "0.5");
    await shows(page, 2, 1, { combine: "max", discard: 0.5 });
    assert.equal(heading(page), "Rollout of maxima up to layer 2, lowest 50 % left out");
    await page.addressHas("combine=max", "discard=0.5");
    const given = await openRollout(visit, "&rollout=true&layer=1&batch=1&discard=0.29");
    await shows(given, 1, 1, { discard: 0.29 });
    assert.equal(heading(given), "Rollout up to layer 1, lowest 29 % left out");
  });

  test("every sentence of a batch has its own rollout", async () => {
    const page = await openRollout(visit, "&rollout=true&layer=2");
    await shows(page, 2, 0);
  });

  test("a cell of the rollout is read aloud under its tokens", async () => {
    const page = await openRollout(visit, "&rollout=true&layer=2&batch=1");
    await shows(page, 2, 1);
    const grid = page.in(page.one(".together")).getByRole("grid", { name: /^weights, Rollout up to layer 2: 6 rows/ });
    grid.focus();
    await page.user.keyboard("{ArrowRight}");
    await page.until(() => assert.equal(page.one(".together [aria-live]").textContent, "the₀ → cat: 0.000"));
  });

  test("one layer has no rollout", async () => {
    const page = await openRollout(visit, "&rollout=true", "source=seeded");
    await page.until(() => assert.equal(heading(page), "layer 0, head 0"));
    assert.equal([...combination(page).options].at(-1).hidden, true);
  });

  test("with a context the page says why there is no rollout, and combines the heads otherwise", async () => {
    const page = await openRollout(visit, "&rollout=true&context=a%20b%0Aa%20b");
    const error = await page.see(".together .error");
    await page.until(() => assert.match(error.textContent, /leave the context out/));
    assert.ok(!page.asked.some(({ path }) => path.includes("/rollout?")));
    const canvas = page.one(".together canvas");
    assert.equal(canvas.checkVisibility(), false);
    await page.choose(combination(page), "mean");
    await page.until(() => assert.ok(canvas.checkVisibility()));
    assert.equal(error.textContent, "");
  });
});
