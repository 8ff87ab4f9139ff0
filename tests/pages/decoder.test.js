/** A decoder: its layers take turns, and each has its own keys, masks and cache. */

import assert from "node:assert/strict";
import test from "node:test";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";
import { textOf, textsOf } from "./support/texts.js";

const ADDRESS = "/?source=seeded&text=Die%20Katze&context=The%20cat%20sat&block=decoder&num_layers=2&d_model=8";
const BODY = {
  text: "Die Katze",
  context: "The cat sat",
  model: { source: "seeded", block: "decoder", num_layers: 2, d_model: 8 },
};
const MAPS = ["scores", "masked_scores", "weights"];
const MLP = ["middle", "hidden", "activated", "mlp_output"];

const chip = (page, name) => page.all(".head-chip").find((each) => textOf(each).includes(name));
const columns = (page) => textsOf(page.all(".labels .col", page.card("weights")));

test("each layer shows its own keys, and only those of the context an MLP", async (t) => {
  const page = await openExplore(t, ADDRESS);
  await page.shows(BODY, ["x", ...MAPS, "block_output"]);
  assert.deepEqual(columns(page), ["Die", "Katze"]);
  assert.ok(!page.card("hidden")?.checkVisibility());
  assert.ok(textOf(page.all(".layer")[1]).includes("layer 1 · context"));
  await page.click(chip(page, "L1 H2"));
  await page.shows(BODY, ["x", "k", ...MAPS, "block_output"], { layer: 1, head: 2 });
  assert.deepEqual(columns(page), ["The", "cat", "sat"]);
  await page.shows({ ...BODY, stages: MLP }, MLP, { layer: 1, head: 2 });
  assert.ok(page.one("math", page.card("k")).textContent.includes("Z"));
  await page.click(chip(page, "L2 H0"));
  await page.shows(BODY, MAPS, { layer: 2 });
  assert.deepEqual(columns(page), ["Die", "Katze"]);
});

full("the map of the context is painted, and that of one head of the text", async (t) => {
  const page = await openExplore(t, `${ADDRESS}&layer=1&change=mask`);
  const paint = async (cell, shape) => {
    const picture = await page.see("[data-openness] canvas");
    return page.pointAt(picture, cell, shape, "pointermove", "pointerdown", "pointerup", "click");
  };
  await paint([1, 2], [2, 3]);
  const closed = [[1, 1, 1], [1, 1, 0]]; // prettier-ignore
  await page.until(() => assert.deepEqual(page.question().context_mask, closed));
  await page.shows({ ...BODY, context_mask: closed }, MAPS.slice(1), { layer: 1 });
  assert.equal(page.one("[data-openness] .cells").textContent, "111110");
  await page.click(chip(page, "L0 H1"));
  await page.choose(page.in().getByLabelText("Paint for"), "this head alone");
  await paint([1, 0], [2, 2]);
  const masks = await page.until(() => {
    const { mask } = page.question();
    assert.ok(mask);
    return mask[0];
  });
  const open = [[1, 1], [1, 1]]; // prettier-ignore
  assert.deepEqual(masks.slice(0, 3), [open, [[1, 1], [0, 1]], open]); // prettier-ignore
  await page.shows(page.question(), ["weights"], { head: 1 });
});

full("the keys of the context are all in the cache from the first step", async (t) => {
  const page = await openExplore(t, `${ADDRESS}&layer=1&decoded=1`);
  await page.click(page.in(page.one("#tabs")).getByRole("tab", { name: "Decode" }));
  const names = () => textsOf(page.all(".cache .names li"));
  await page.until(() => assert.deepEqual(names(), ["The", "cat", "sat"]));
  assert.equal(page.all(".cache .names .kept").length, 3);
  const words = (text) => page.until(() => assert.ok(textOf(page.one(".player .words")).includes(text)));
  await words("New rows: 1 of q, 0 of k and v. From the cache: 3.");
  await page.until(() => assert.ok(textOf(page.one("#inspector .guide")).includes("made once, in the first step")));
  await page.click(chip(page, "L0 H0"));
  await page.until(() => assert.deepEqual(names(), ["Die", "Katze"]));
  assert.equal(page.all(".cache .names .made").length, 1);
  await words("New rows: 1 of q, 1 of k and v. From the cache: 1.");
});
