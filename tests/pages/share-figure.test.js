/** The figure of a stage for a paper, as the dialog shows it and its files have it. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alike, cellColors, stageCells } from "./support/cells.js";
import { full } from "./support/full.js";
import { openLarge } from "./support/large.js";
import { onePage } from "./support/one-page.js";
import { figure, openShare, textsOf } from "./support/share.js";

const words = (count, word = "w") => Array.from({ length: count }, (_, at) => `${word}${at}`);

describe("share figure", () => {
  const visit = onePage();

  test("the figure is a vector picture of the numbers, with a title and numbers where they are wanted", async () => {
    const page = await visit("/?text=a%20cat%20sat&head=1");
    const dialog = page.in(await openShare(page));
    const weights = stageCells(await page.answer(), "weights", { layer: 0, head: 1, batch: 0 });
    const svg = figure(page);
    assert.equal(svg.querySelector("image"), null);
    const fills = [...svg.querySelectorAll("g[shape-rendering] > rect")].map((cell) => cell.getAttribute("fill"));
    const found = fills.map((fill) => [...fill.matchAll(/[0-9a-f]{2}/g)].map(([byte]) => parseInt(byte, 16)));
    const open = cellColors(weights, null, page.pageData().colors.light)
      .flat()
      .filter(([, , , opacity]) => opacity);
    assert.ok(alike([found], [open.map((color) => color.slice(0, 3))]), String(fills));
    for (const word of ["weights", "a", "cat", "sat", "query ↓", "key →", "0", "1", "masked"])
      assert.ok(textsOf(svg).includes(word), word);
    for (const part of [svg, ...svg.querySelectorAll("[font-family]")])
      assert.equal(part.getAttribute("font-family"), "sans-serif");
    await page.fill(dialog.getByLabelText("title"), "Who looks & where");
    await page.click(dialog.getByLabelText("numbers in the cells"));
    assert.equal(textsOf(figure(page))[0], "Who looks & where");
    assert.ok(textsOf(figure(page)).includes(weights[2][1].toFixed(2)));
  });

  test("many cells are one bitmap of the numbers", async () => {
    const bitmaps = [];
    const page = await visit(`/?text=${"a%20".repeat(65)}b`);
    await openShare(page, bitmaps);
    const image = await page.until(() => figure(page).querySelector("image") ?? assert.fail());
    assert.equal(image.getAttribute("href"), `data:image/png;base64,${bitmaps.length}`);
    assert.equal(image.getAttribute("image-rendering"), "pixelated");
    assert.equal(figure(page).querySelector("g[shape-rendering]"), null);
    const weights = stageCells(await page.answer(), "weights", { layer: 0, head: 0, batch: 0 });
    assert.ok(alike(bitmaps.at(-1), cellColors(weights, null, page.pageData().colors.light)));
  });

  full("a long text has one point of a bitmap for each point of its picture", async (t) => {
    const bitmaps = [];
    const page = await openLarge(t, "/?source=seeded&num_heads=1");
    const count = 6000;
    await page.fill(page.sentence, words(count).join(" "));
    const legend = await page.until(() => {
      const { textContent } = page.one(".legend", page.card("weights"));
      assert.match(textContent, /a point for \d/);
      return textContent;
    });
    const side = Number(legend.match(/a point for (\d+)/)[1]);
    await openShare(page, bitmaps);
    await page.until(() => assert.ok(figure(page).querySelector("image")));
    const size = Math.ceil(count / side);
    await page.ready();
    const picture = bitmaps.at(-1);
    assert.deepEqual([picture.length, picture[0].length], [size, size]);
    const drawn = picture.flat().filter(([, , , opacity]) => opacity).length / size ** 2;
    assert.ok(0.5 < drawn && drawn < 0.51, `${drawn}`); // the lower triangle, and the squares on its edge
  });

  full("the names of many tokens keep apart in a figure as large as a page", async () => {
    const page = await visit(`/?source=seeded&num_heads=1&text=${words(700, "word").join("%20")}`);
    await openShare(page);
    const svg = await page.until(() => figure(page) ?? assert.fail());
    for (const side of ["width", "height"]) assert.ok(svg.viewBox.baseVal[side] < 800);
    const names = [...svg.querySelectorAll("text")].filter(({ textContent }) => /^word\d+$/.test(textContent));
    const across = names.filter((name) => name.hasAttribute("transform")).map((name) => Number(name.getAttribute("x")));
    const down = names.filter((name) => !name.hasAttribute("transform")).map((name) => Number(name.getAttribute("y")));
    for (const places of [across, down]) {
      assert.ok(places.length > 20);
      for (const [at, place] of places.entries()) assert.ok(at === 0 || place - places[at - 1] >= 12);
    }
  });
});
