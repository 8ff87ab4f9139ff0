/** Show change beyond the cards: a large stage, the inspector, the heads, and the tabs that show none. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cellsOf, chooseScale, drawsChange, says, showChange, sizeOf, tool, writtenChange } from "./support/changes.js";
import { onePage } from "./support/one-page.js";

const SMALL = "/?text=the%20cat%20sat%20there&d_model=18&num_heads=3&num_layers=2&scale=none";
let seeds = 0; // each test has weights of its own: a page does not ask twice what it knows
const SHAPE = [4, 4];
const CELL = [3, 1];
const PLACES = [0, 1].flatMap((layer) => [0, 1, 2].map((head) => ({ layer, head })));

/** Changes the scale and shows what that changed: the question before and now, and CELL of the weights. */
async function openChanged(visit, more = "") {
  const page = await visit(`${SMALL}&seed=${seeds++}${more}`);
  await page.until(() => assert.equal(page.document.body.dataset.status, "ready"));
  const before = page.question();
  const now = await chooseScale(page, "1/√d_k");
  await page.until(() => assert.equal(page.document.body.dataset.status, "ready"));
  await showChange(page);
  const { was, is, delta } = await cellsOf(page, before, now, "weights");
  const [row, col] = CELL;
  return { page, before, now, delta, given: writtenChange(was[row][col], is[row][col]) };
}

const short = (size) => String(Number(size.toFixed(2)));
const pointAtCell = (page, canvas) => page.pointAt(page.one(canvas), CELL, SHAPE, "pointermove");

describe("show change elsewhere", () => {
  const visit = onePage();

  test("a large stage is drawn and tabled as now minus before", async () => {
    const { page, delta, given } = await openChanged(visit, "&stage=weights");
    const { was, value, by } = given;
    await page.see("#large .change");
    await drawsChange(page, "#large .change canvas[data-head]", delta);
    await says(page, "#large", "Δ is now minus before the last step");
    await says(page, "#large .change .legend .high", short(sizeOf(delta)));
    page.in(page.one("#large")).getByRole("grid", { name: /^Change of weights/ });

    await pointAtCell(page, "#large .change canvas[data-head]");
    await says(page, "#large .change .readout", `${was} → ${value} (${by})`);

    await page.click(page.in(page.one("#large")).getByLabelText("show as table"));
    const cell = (row, col) => `#large .change tbody tr:nth-child(${row + 1}) td:nth-of-type(${col + 1})`;
    await page.see(cell(3, 1));
    await page.until(() => assert.equal(page.one(cell(...CELL)).textContent, `${by}${was} → ${value}`));
    assert.equal(page.one(cell(0, 3)).textContent, "–0 (masked)");
  });

  test("a large stage follows the change and its end", async () => {
    const { page, now } = await openChanged(visit);
    const enlarge = (name) => page.click(page.button(name, page.one("#pipeline")));
    await enlarge("Enlarge x");
    await page.until(() => assert.equal(page.one("#large .change .same").textContent, "unchanged"));
    assert.ok(page.one("#large .change .same").checkVisibility());
    page.one("#large").close();
    await enlarge("Enlarge scaled scores");
    await says(page, "#large .change .legend .low", "−");
    await showChange(page);
    await page.until(() => assert.equal(page.one("#large .change"), null));
    await page.shows(now, ["scaled_scores"]);
  });

  test("the inspector shows the pinned cell before and now, on each of its tabs", async () => {
    const { page, given } = await openChanged(visit, "&cell=weights.3.1");
    const line = () => page.one(".was", page.inspector)?.textContent;
    const same = () => assert.equal(line(), `before${given.was}now${given.value}Δ${given.by}`);
    await page.until(same);
    await page.click(page.in(page.one("#tabs")).getByRole("tab", { name: "Gradients" }));
    await page.until(same);
    await showChange(page);
    await page.until(() => assert.equal(line(), undefined));
  });

  test("heads are drawn as now minus before, in one scale for all", async () => {
    const { page, before, now, given } = await openChanged(visit, "&tab=heads");
    const maps = await Promise.all(PLACES.map((place) => cellsOf(page, before, now, "weights", place)));
    const deltas = maps.map(({ delta }) => delta);
    const size = Math.max(...deltas.map(sizeOf));
    await page.see(".board.change");
    for (const [at, { layer, head }] of PLACES.entries()) {
      const tile = `.board.change [data-layer="${layer}"][data-head="${head}"] canvas`;
      await drawsChange(page, tile, deltas[at], size);
    }
    const together = ".together.change canvas[data-head]";
    await drawsChange(page, together, deltas[0], size);
    await says(page, ".together.change .legend .low", `−${short(size)}`);
    await says(page, "#panel-heads", "in one scale for all");

    await pointAtCell(page, together);
    await says(page, ".together.change .readout", `${given.was} → ${given.value} (${given.by})`);

    await page.click(page.button("Choose all shown", page.one("#panel-heads")));
    const mean = deltas[0].map((line, row) =>
      line.map((one, col) => one && deltas.reduce((sum, map) => sum + map[row][col], 0) / deltas.length),
    );
    await drawsChange(page, together, mean, size);
    await page.reload();
    await page.see(together);
    await drawsChange(page, together, mean, size);
    await page.user.keyboard("{Escape}");
    await page.until(() => assert.equal(page.one(".board.change"), null));
    assert.ok(page.one(".board").checkVisibility());
  });

  test("a rollout stays that of now", async () => {
    const { page } = await openChanged(visit, "&tab=heads&rollout=true&layer=1");
    await says(page, "#panel-heads", "So is the rollout");
    assert.equal(page.one(".together.change").checkVisibility(), false);
    assert.ok(page.one(".together:not(.change)").checkVisibility());
  });

  test("heads of a large answer are compared as well", async () => {
    const words = Array.from({ length: 90 }, (_, at) => `w${at}`).join("%20");
    const page = await visit(`/?text=${words}&num_heads=20&d_model=80&causal=false`);
    const isReady = () => page.until(() => assert.equal(page.document.body.dataset.status, "ready"));
    await isReady();
    await page.drawer();
    const scale = page.in(page.one("#options")).getByRole("combobox", { name: "Scale" });
    // Its stages come as pictures.
    await page.request(
      () => page.choose(scale, "none"),
      ({ path }) => path === "/api/v1/traces",
    );
    await isReady();
    await showChange(page);
    await page.see('[data-stage="weights"] .change');
    await page.click(page.in(page.one("#tabs")).getByRole("tab", { name: "Heads" }));
    await page.see('.board.change [data-head="13"] canvas');
    const whole = page.asked.map(({ body }) => body).filter((body) => body?.dtype === "float32");
    const [before, now] = ["sqrt_d_k", "none"].map((each) => whole.findLast((body) => body.scale === each));
    const [was, is] = await Promise.all([before, now].map(async (body) => (await page.answer(body)).layers[0].weights));
    const [one, other] = [was, is].map((weights) => weights.flat(3));
    const size = other.reduce((most, value, at) => Math.max(most, Math.abs(value - one[at])), 0);
    await says(page, ".together.change .legend .high", short(size));
  });

  test("tabs that show no change say so, and lead to the stages", async () => {
    const page = await visit("/?text=a%20b%20c&d_model=8&num_heads=2");
    await chooseScale(page, "none");
    const show = await page.until(() => tool(page, "Show change"));
    const open = (name) => page.click(page.in(page.one("#tabs")).getByRole("tab", { name }));
    for (const tab of ["Lines", "Gradients", "Parameters", "Worth", "Decode", "Laboratory"]) {
      await page.until(() => assert.equal(show.getAttribute("aria-disabled"), "false"));
      await open(tab);
      await page.until(() => assert.equal(show.getAttribute("aria-disabled"), "true"));
      assert.match(show.title, /among Stages and Heads/);
      await page.click(show);
      await page.addressLacks("since");
      await open("Heads");
      await page.click(show);
      await open(tab);
      await says(page, ".since", `${tab} draws the numbers of now`);
      await page.click(page.button("See the stages", page.one(".since")));
      await page.see('[data-stage="weights"] .change');
      await page.click(show);
      await page.addressLacks("since");
    }
  });
});
