/** What a change changed, in the cards: now − before, the line over them, and the flash of the cells. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  cellsOf,
  changeIn,
  chooseScale,
  drawsChange,
  retype,
  says,
  showChange,
  undo,
  writtenChange,
} from "./support/changes.js";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";

const NOTHING = "Nothing has changed since the question you compare with";

/** Waits until the card of a stage shows its change. */
async function shows(page, before, now, stage, head = 0) {
  const { delta } = await cellsOf(page, before, now, stage, { head });
  await drawsChange(page, changeIn(stage), delta);
}

const saysUnchanged = (page, stage) => says(page, `[data-stage="${stage}"]`, "unchanged");

describe("show change", () => {
  const visit = onePage();

  full("the cards show now minus before, until Escape", async () => {
    const page = await visit("/?text=the%20cat%20sat%20there&d_model=16");
    const before = page.question();
    const now = await chooseScale(page, "none");
    await page.shows(now);
    await showChange(page);
    await says(page, ".since", "now minus before the last step");
    for (const stage of ["scaled_scores", "masked_scores", "weights", "output"]) await shows(page, before, now, stage);
    for (const stage of ["x", "q", "scores"]) await saysUnchanged(page, stage);
    await says(page, '[data-stage="weights"] .change .legend .low', "−0.");
    const { trace } = await page.answer(before);
    await page.addressHas(`since=${trace}`);

    const { was, is } = await cellsOf(page, before, now, "scaled_scores");
    await page.pointAt(page.one(changeIn("scaled_scores")), [0, 0], [4, 4], "pointermove");
    const given = writtenChange(was[0][0], is[0][0]);
    await says(page, '[data-stage="scaled_scores"] .change .readout', `${given.was} → ${given.value} (${given.by})`);

    const mask = await page.field("Mask");
    const later = await page.ask(() => page.choose(mask, "none"));
    await says(page, ".since", "now minus 2 steps ago");
    await shows(page, before, later, "scaled_scores");
    await page.reload();
    await page.see(".since p");
    await says(page, ".since", "now minus the question you compare with");
    await shows(page, before, later, "scaled_scores");
    await page.user.keyboard("{Escape}");
    await page.until(() => assert.equal(page.one(".since").checkVisibility(), false));
    await page.shows(later, ["weights", "output"]);
    await page.addressLacks("since");
  });

  full("a question to compare with is marked, and waits for what will change", async () => {
    const page = await visit("/?text=a%20b%20c&d_model=8&num_heads=2&causal=false&positions=none");
    const compare = async () =>
      page.click(await page.until(() => page.button("Compare from now on", page.one(".since"))));
    const before = await retype(page, "c", "e");
    await showChange(page);
    await compare();
    await says(page, ".since", NOTHING);
    await saysUnchanged(page, "weights");
    await page.click(page.one('.thumbnail[data-head="1"]'));
    const drop = await page.until(() => page.button("Drop head L0 H1", page.one("#heads")));
    const now = await page.ask(() => page.click(drop));
    await shows(page, before, now, "output", 1);
    for (const stage of ["weights", "head_outputs"]) await saysUnchanged(page, stage);
    const later = await retype(page, "b", "d");
    const rows = () => page.all('[data-stage="x"] .change .row').filter(({ textContent }) => /b\/d/.test(textContent));
    await page.until(() => assert.equal(rows().length, 1));
    await compare();
    await says(page, ".since", NOTHING);
    await undo(page);
    await shows(page, later, now, "x", 1);
    await showChange(page);
    await page.until(() => assert.equal(page.one(".since").checkVisibility(), false));
  });

  test("other sizes have no change to show", async () => {
    const page = await visit("/?text=a%20b");
    const body = await page.ask(() => page.fill(page.sentence, "a b c"));
    await page.shows(body);
    await showChange(page);
    await says(page, ".since", "has other sizes");
    assert.equal(page.one(changeIn("weights")), null);
    await page.shows(body, ["weights", "output"]);
  });

  test("a mark that is not known any more is reported in the words of the page", async () => {
    const page = await visit(`/?since=${"0".repeat(32)}`);
    await page.see(".since p");
    await says(page, ".since", "is not known here any more");
    assert.ok(!page.one(".since").textContent.includes("POST"));
    await page.click(page.button("Compare from now on", page.one(".since")));
    await page.see('[data-stage="weights"] .change');
  });

  test("the cells that changed flash once", async () => {
    const page = await visit("/?text=a%20b%20c&num_heads=1&d_model=8&causal=false");
    const flashOf = (stage) => page.one(`[data-stage="${stage}"] .flash`);
    const end = () => page.all(".flash").forEach((each) => each.dispatchEvent(new page.window.Event("animationend")));
    end(); // of the test before: nothing is animated here, so that nothing ends by itself
    await retype(page, "b", "d");
    for (const stage of ["x", "q", "k", "v", "scores", "weights", "output"])
      await page.until(() => assert.ok(flashOf(stage), stage));
    const path = (stage) => flashOf(stage).firstElementChild.getAttribute("d");
    assert.equal(path("x"), "M0 1h8v1h-8z");
    assert.equal(path("scores"), "M1 0h1v1h-1zM0 1h3v1h-3zM1 2h1v1h-1z");
    end();
    assert.equal(page.one(".flash"), null);
  });

  full("nothing flashes where motion is unwelcome", async (t) => {
    const page = await openExplore(t, "/?text=a%20b", { media: ["(prefers-reduced-motion: reduce)"] });
    await page.shows(await chooseScale(page, "none"), ["scaled_scores"]);
    assert.equal(page.one(".flash"), null);
  });
});
