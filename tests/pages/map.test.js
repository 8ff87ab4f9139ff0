/** Map: every cell is read with the keys, pinned and listed, in every stage. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alike, cellColors, stageCells, written } from "./support/cells.js";
import { full } from "./support/full.js";
import { calmPage, menu, openMap, picture, plot, readout, reads, walkTo } from "./support/map.js";
import { onePage } from "./support/one-page.js";

const N = 12;
const STEPS = 254; // that a picture tells apart
const FIRST = { layer: 0, head: 0, batch: 0 };

describe("map", () => {
  const visit = onePage(calmPage);

  full("a cell is read exactly with the keys, and said aloud", async (t) => {
    const page = await openMap(visit);
    const weights = stageCells(await page.answer(), "weights", FIRST);
    const grid = page.in().getByRole("grid", { name: /^weights/ });
    assert.equal(grid.getAttribute("aria-rowcount"), String(N));
    await walkTo(page, 9, 2);
    await reads(page, written(weights[9][2]), "too → didn't");
    const spoken = page.one(".map-box [aria-live]");
    await page.until(() => assert.equal(spoken.textContent, `weights, too → didn't: ${written(weights[9][2])}`));
    await walkTo(page, 2, 9);
    await reads(page, "0 (masked)");
    await walkTo(page, 3, 1);
    const active = page.one(`#${grid.getAttribute("aria-activedescendant")}`);
    assert.equal(active.getAttribute("aria-colindex"), "2");
    assert.match(active.getAttribute("aria-label"), /^cross → animal: /);
    assert.equal(active.parentElement.getAttribute("aria-rowindex"), "4");
  });

  test("a cell is pinned, explained and let go with the keys", async (t) => {
    const page = await openMap(visit);
    await walkTo(page, 9, 2);
    await page.user.keyboard("{Enter}");
    await page.addressHas("cell=weights.9.2");
    await page.until(() => assert.match(page.one("h2", page.inspector).textContent, /too → didn't/));
    await page.user.keyboard("{Escape}");
    await page.addressLacks("cell=");
  });

  test("a pointer reads the cell under it, until it leaves", async () => {
    const page = await openMap(visit);
    const weights = stageCells(await page.answer(), "weights", FIRST);
    const { PointerEvent, MouseEvent } = page.window;
    const move = (name, clientX, clientY) =>
      plot(page).dispatchEvent(new (PointerEvent ?? MouseEvent)(name, { bubbles: true, clientX, clientY }));
    await walkTo(page, 5, 3);
    await reads(page, written(weights[5][3]));
    const [x, y] = [parseFloat(readout(page).style.left), parseFloat(readout(page).style.top)];
    plot(page).blur();
    await page.until(() => assert.ok(!readout(page).checkVisibility()));
    move("pointermove", x + 4, y + 4); // the readout stands right of its cell, level with its upper edge
    await reads(page, written(weights[5][4]));
    move("pointerleave", x, y);
    assert.ok(!readout(page).checkVisibility());
  });

  /** Cells as a picture rounds them, from the least to the largest. */
  function rounded(cells) {
    const open = cells.flat().filter((value) => value !== null);
    const [low, high] = [Math.min(...open), Math.max(...open)];
    const step = (high - low) / STEPS;
    return cells.map((line) => line.map((value) => value && low + step * Math.round((value - low) / step)));
  }

  full("every stage of scores has the colours and numbers of its cells", async () => {
    const page = await openMap(visit, "/?source=seeded&tab=map&map=scores");
    const reply = await page.answer();
    for (const stage of ["scores", "scaled_scores", "masked_scores", "weights"]) {
      await page.choose(menu(page, "Stage"), stage);
      const cells = stageCells(reply, stage, FIRST);
      const range = stage === "weights" ? null : cells;
      const wanted = cellColors(rounded(cells), range, page.pageData().colors.light);
      await page.until(() => assert.ok(alike(picture(page), wanted), stage));
      await walkTo(page, 6, 4);
      await reads(page, written(cells[6][4]));
    }
  });

  test("one token is a map of one cell", async () => {
    const page = await openMap(visit, "/?source=seeded&tab=map&text=alone");
    plot(page).focus();
    await page.user.keyboard("{ArrowDown}");
    await reads(page, "1.000");
    await page.user.keyboard("{ArrowDown}+-{End}");
    await reads(page, "1.000", "alone → alone");
  });

  test("queries and keys may differ in number", async () => {
    const page = await openMap(visit, "/?source=seeded&tab=map&text=Die%20Katze&context=The%20cat%20sat%20down");
    const grid = page.in().getByRole("grid", { name: /^weights/ });
    assert.deepEqual([grid.getAttribute("aria-rowcount"), grid.getAttribute("aria-colcount")], ["2", "4"]);
    plot(page).focus();
    await page.user.keyboard("{End}");
    await reads(page, /^0\.\d{3}$/, /→ down$/);
  });

  test("the numbers in sight are a table whose cells are pinned", async () => {
    const page = await openMap(visit, "/?source=seeded&tab=map&table=true");
    const weights = stageCells(await page.answer(), "weights", FIRST);
    const numbers = () => page.all("#panel-map tbody tr").map((row) => page.all("td", row).map((td) => td.textContent));
    const wanted = weights.map((line) => line.map((value) => (value === null ? "0 (masked)" : written(value))));
    await page.until(() => assert.deepEqual(numbers(), wanted));
    await page.click(page.all("#panel-map tbody tr")[9].querySelectorAll("td")[2]);
    await page.addressHas("cell=weights.9.2");
  });
});
