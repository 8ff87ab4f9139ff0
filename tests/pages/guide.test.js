/** How to read this page: each tab in its own words, which are true when they are tried. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { typed } from "./support/changes.js";
import { full } from "./support/full.js";
import { optionsOf } from "./support/lines.js";
import { onePage } from "./support/one-page.js";

const TABS = ["stages", "heads", "lines", "gradients", "parameters", "worth", "decode", "lab"];
const SMALL = "/?text=a%20b%20c&d_model=8&num_heads=2";

/** What is drawn, its colours, what a press does, what to try first; a line about the model may follow. */
const guideLines = (page) =>
  page
    .all(".guide li", page.inspector)
    .slice(0, 4)
    .map((line) => line.textContent);
const openTab = (page, name) => page.click(page.one(`#tab-${name}`));

describe("guide", () => {
  const visit = onePage();

  for (const language of ["en", "zh"])
    full(`every tab has a guide of its own: ${language}`, async () => {
      const page = await visit(`${SMALL}&lang=${language}`);
      const { messages } = page.pageData();
      const said = new Set();
      for (const tab of TABS) {
        await openTab(page, tab);
        const silent = tab === "worth" ? "worth_silent" : tab; // seeded weights predict nothing
        const keys = [`${tab}.drawn`, `${tab}.colours`, `${silent}.press`, `${silent}.first`];
        const words = keys.map((key) => messages[`guide.${key}`]);
        await page.until(() => assert.deepEqual(guideLines(page), words));
        for (const sentence of words) said.add(sentence);
      }
      assert.equal(said.size, 4 * TABS.length);
      assert.ok(!said.has(undefined));
    });

  test("every tab has a guide to the pinned cell", async () => {
    const page = await visit(`${SMALL}&cell=weights.2.1`);
    const value = () => page.one(".value output", page.inspector)?.textContent;
    await page.until(() => assert.ok(value()));
    const before = value();
    await openTab(page, "decode");
    await page.see("#panel-decode canvas");
    assert.equal(value(), before);
    assert.deepEqual(guideLines(page), []);
  });

  test("a press does what is said of it", async () => {
    const page = await visit(SMALL);
    const press = async (selector, shape) => {
      const picture = await page.see(`${selector} canvas[data-layer]`);
      await page.pointAt(picture, [0, 0], shape, "pointermove", "pointerdown", "pointerup", "click");
    };
    const title = (words) =>
      page.until(() => assert.ok(page.one("h2", page.inspector).textContent.includes(words), words));
    await openTab(page, "heads");
    await press(".together", [3, 3]);
    await title("weightsa → a");
    await openTab(page, "parameters");
    await press('[data-tensor="w_q"]', [8, 8]);
    await title("d_model 0");
    const number = await typed(page);
    assert.equal(number.closest("[aria-label]").getAttribute("aria-label"), "Change this number");
    await openTab(page, "lines");
    await page.click(await page.until(() => optionsOf(page, "Queries")[2] ?? assert.fail("no queries")));
    await page.until(() => assert.match(page.one("#picked").textContent, /c/));
    await openTab(page, "gradients");
    await press('.gradients [data-stage="output"]', [3, 8]);
    const objective = page.in(page.one("#panel-gradients")).getByLabelText("f is");
    await page.until(() => assert.equal(objective.value, "cell"));
  });

  test("what is to be tried can be tried", async () => {
    const page = await visit(SMALL);
    await openTab(page, "heads");
    const heads = page.in(await page.see("#panel-heads"));
    await page.choose(await heads.findByRole("combobox", { name: "Metric" }), "previous");
    await page.click(heads.getByLabelText("largest first"));
    const grid = await heads.findByRole("grid", { name: "Layer and head" });
    assert.equal(page.in(grid).getAllByRole("gridcell").length, 2);
    await openTab(page, "parameters");
    const parameters = await page.see("#panel-parameters");
    await page.see(".choices button", parameters);
    await page.click(page.all(".choices button", parameters)[4]);
    await page.until(() => assert.match(parameters.textContent, /attract each other/));
    await openTab(page, "lab");
    const laboratory = page.in(await page.see("#panel-lab"));
    await page.click(await laboratory.findByRole("button", { name: "Precision" }));
    const overflow = await laboratory.findByRole("button", { name: "Make it overflow" });
    await page.until(() => assert.equal(overflow.disabled, false));
  });

  test("where a change is drawn the colours are those of the change", async () => {
    const page = await visit(SMALL);
    const { messages } = page.pageData();
    const colours = (key) => page.until(() => assert.equal(guideLines(page)[1], messages[`guide.${key}.colours`]));
    await openTab(page, "heads");
    await colours("heads");
    const seed = await page.field("seed");
    await page.ask(() => page.fill(seed, "1"));
    await page.click(page.button("Show change", page.one("#change")));
    await colours("since");
    await page.see("#since"); // the script that ends it with Escape has come
    await openTab(page, "lines");
    await colours("lines");
    await openTab(page, "heads");
    await page.user.keyboard("{Escape}");
    await colours("heads");
  });
});
