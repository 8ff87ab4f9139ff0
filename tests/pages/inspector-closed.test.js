/** Cells without a plain number, and answers that come late or not at all, in the inspector. */

import assert from "node:assert/strict";
import test from "node:test";
import { stageCells, written } from "./support/cells.js";
import { later } from "./support/clock.js";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";

const ADDRESS = "/?text=the%20animal%20is%20tired&d_model=16";
const PADDED = "/?text=a%20cat&d_model=8&context_length=3";
const HUGE = "/?text=a%20b%20c&dtype=float16&scale=100000";
const N = 4;

const output = (page) => page.one("output", page.inspector)?.textContent;
const reads = (page, number) => page.until(() => assert.equal(output(page), number));

test("a masked cell explains itself", async (t) => {
  const page = await openExplore(t, ADDRESS);
  for (const [stage, number] of [
    ["masked_scores", "−∞"],
    ["weights", "0 (masked)"],
  ]) // prettier-ignore
  {
    await page.pick(stage, [1, 3], [N, N]);
    await reads(page, number);
    assert.match(page.inspector.textContent, /\b(after|causal)\b/);
  }
});

full("padding is not minus infinity where nothing is masked", async (t) => {
  const page = await openExplore(t, null);
  for (const [stage, number] of [
    ["x", "–"],
    ["scores", "–"],
    ["masked_scores", "−∞"],
  ]) // prettier-ignore
  {
    await page.open(`${PADDED}&cell=${stage}.2.0&stage=${stage}&table=true`);
    await reads(page, number);
    const cell = await page.see("#large tbody tr:nth-child(3) td");
    assert.equal(cell.textContent, number);
  }
});

full("a number beyond its precision is infinite on the card, in the inspector and in the table", async (t) => {
  const page = await openExplore(t, `${HUGE}&cell=scaled_scores.0.0`);
  const [scores] = stageCells(await page.answer(), "scores", { layer: 0, head: 0, batch: 0 });
  const infinite = scores.map((value) => (value > 0 ? "∞" : "−∞")); // its sign is that of the score
  const shape = [3, 3];
  for (const [col, number] of infinite.entries()) {
    await page.pick("scaled_scores", [1, 1], shape);
    await page.pick("scaled_scores", [0, col], shape);
    await reads(page, number);
    assert.equal(page.one(".readout b", page.card("scaled_scores")).textContent, number);
  }
  await page.open(`${HUGE}&stage=scaled_scores&table=true`);
  const row = await page.see("#large tbody tr");
  assert.deepEqual(page.all("td", row).map((each) => each.textContent), infinite); // prettier-ignore
});

test("the arithmetic of one cell never stands under the name of another", async (t) => {
  const page = await openExplore(t, ADDRESS);
  await page.pick("scores", [3, 1], [N, N]);
  await page.see("#inspector output");
  const held = later();
  page.route(/\/cells\//, () => held.reply);
  await page.pick("scores", [2, 0], [N, N]);
  await page.until(() => assert.equal(page.one("h2 .place", page.inspector).textContent, "is → the"));
  assert.equal(output(page), undefined);
  held.send();
  const cells = stageCells(await page.answer(), "scores", { layer: 0, head: 0, batch: 0 });
  await reads(page, written(cells[2][0]));
});

test("without words no number of the answer before is shown", async (t) => {
  const page = await openExplore(t, "/?text=a%20b%20c&d_model=8");
  await page.see("#inspector .checks");
  await page.fill(page.sentence, "");
  await page.until(() => assert.equal(page.one("#inspector .checks"), null));
  await page.see("#inspector .guide");
  await page.ask(() => page.fill(page.sentence, "a b c d"));
  await page.see("body[data-status=ready]");
  await page.pick("weights", [2, 1], [4, 4]);
  await page.see("#inspector output");
  await page.fill(page.sentence, "");
  await page.until(() => assert.equal(output(page), undefined));
  await page.fill(page.sentence, "a b c d");
  await page.see("#inspector output");
});

full("the answer comes first, and the manual is folded until it is opened", async (t) => {
  const page = await openExplore(t, ADDRESS);
  const checks = await page.see("#inspector .checks");
  const manual = page.one("details.guide", page.inspector);
  assert.ok(checks.compareDocumentPosition(manual) & page.window.Node.DOCUMENT_POSITION_FOLLOWING);
  assert.equal(manual.open, false);
  manual.open = true;
  await page.click(page.one("#tab-heads"));
  await page.until(() => assert.match(manual.textContent, /head/));
  assert.ok(page.one("details.guide", page.inspector).open);
});

full("without a cell the inspector says how exact the answer is and that its weights are random", async (t) => {
  const page = await openExplore(t, ADDRESS);
  const { checks } = await page.answer();
  const power = checks.max_reference_error.toExponential().split("e-")[1];
  const raised = [...power].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("");
  await page.until(() => assert.ok(page.inspector.textContent.includes(`×10⁻${raised}`)));
  assert.ok(page.inspector.textContent.includes("largest difference from plain loops"));
  assert.ok(page.inspector.textContent.includes("drawn at random"));
  const crafted = page.button("Show crafted heads", page.inspector);
  const body = await page.ask(() => page.click(crafted));
  assert.equal(body.model.source, "crafted");
  await page.until(() => assert.ok(!page.inspector.textContent.includes("drawn at random")));
});
