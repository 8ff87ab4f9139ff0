/** What the Heads tab shows of several heads, or layers, is what is taken away. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alike, cellColors, stageCells } from "./support/cells.js";
import { onePage } from "./support/one-page.js";
import { figure, openShare, textsOf } from "./support/share.js";

const QUESTION = "/?source=seeded&num_layers=3&num_heads=4&d_model=16&text=the%20cat%20sat%20on%20the%20mat&tab=heads";

/** Presses a button of the dialog; the file that it saves: its name, and the address that was asked. */
async function taken(page, dialog, format) {
  const saved = [];
  page.window.URL.createObjectURL = () => "blob:x";
  page.window.URL.revokeObjectURL = () => undefined;
  page.window.HTMLAnchorElement.prototype.click = function () {
    saved.push(this.download);
  };
  const count = page.asked.length;
  await page.click(dialog.getByRole("button", { name: format }));
  await page.until(() => assert.equal(saved.length, 1));
  return { name: saved[0], path: page.asked.slice(count).find(({ path }) => path.includes("/together"))?.path };
}

/** The colours of the cells that are open. */
const openColors = (page, cells) =>
  cellColors(cells, null, page.pageData().colors.light)
    .flat()
    .filter(([, , , opacity]) => opacity)
    .map((color) => color.slice(0, 3));

function drawnColors(page) {
  const fills = [...figure(page).querySelectorAll("g[shape-rendering] > rect")].map((each) =>
    each.getAttribute("fill"),
  );
  return fills.map((fill) => [...fill.matchAll(/[0-9a-f]{2}/g)].map(([byte]) => parseInt(byte, 16)));
}

describe("what is seen of several heads", () => {
  const visit = onePage();

  const COMBINED = {
    mean: (values) => values.reduce((sum, each) => sum + each, 0) / values.length,
    max: (values) => Math.max(...values),
  };
  for (const [combine, by] of Object.entries(COMBINED))
    test(`their ${combine} is drawn and saved`, async () => {
      const page = await visit(`${QUESTION}&heads=0.1_2.3&combine=${combine}`);
      const dialog = page.in(await openShare(page));
      const title = combine === "mean" ? "Mean of 2 heads" : "Maximum of 2 heads";
      assert.equal(dialog.getByLabelText("stage").selectedOptions[0].textContent, title);
      const reply = await page.answer();
      const maps = [
        [0, 1],
        [2, 3],
      ].map(([layer, head]) => stageCells(reply, "weights", { layer, head, batch: 0 }));
      const cells = maps[0].map((line, row) => line.map((one, col) => one && by(maps.map((map) => map[row][col]))));
      await page.until(() => assert.ok(alike([drawnColors(page)], [openColors(page, cells)])));
      assert.ok(textsOf(figure(page)).some((text) => text.startsWith(title)));
      const { name, path } = await taken(page, dialog, "CSV");
      assert.equal(name, `attnscope-${reply.trace.slice(0, 8)}-${combine}.csv`);
      assert.match(path, new RegExp(`combine=${combine}&heads=0.1_2.3&batch=0&format=csv`));
      assert.match((await taken(page, dialog, "SVG")).name, new RegExp(`-${combine}\\.svg$`));
    });

  test("rollout is drawn and saved", async () => {
    for (const [view, own, asked] of [
      ["", "", "combine=rollout&layer=2&batch=0"],
      ["&combine=max&discard=0.5", "&combine=max&discard=0.5", "combine=rollout_max&layer=2&batch=0&discard=0.5"],
    ]) {
      const page = await visit(`${QUESTION}&rollout=true&layer=2${view}`);
      const dialog = page.in(await openShare(page));
      const reply = await page.answer();
      const [cells] = (await page.json(`/api/v1/traces/${reply.trace}/rollout?layer=2${own}`)).maps;
      await page.until(() => assert.ok(alike([drawnColors(page)], [openColors(page, cells)])));
      const { name, path } = await taken(page, dialog, ".npz");
      assert.match(name, /-rollout(_max)?\.npz$/);
      assert.ok(path.includes(`${asked}&format=npz`), path);
    }
  });

  test("the selected head alone is a stage like the others", async () => {
    const page = await visit(QUESTION);
    const stage = page.in(await openShare(page)).getByLabelText("stage");
    assert.deepEqual([stage.value, stage.options[0].value], ["weights", "x"]);
  });
});
