/** A reload, the same address in another window and the history restore what was seen. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { openExplore } from "./support/explore.js";

const RICH =
  "/?lang=en&text=The%20cat%20sat%0A%E7%8C%AB%20%F0%9F%98%80%20%D7%A9%D7%9C%D7%95%D7%9D" +
  "&tokenizer=characters&window=5&prefix=2&blocked=1.0_2.1&scale=0.25&temperature=0.7&dtype=float32" +
  "&seed=7&d_model=24&num_heads=6&num_kv_heads=3&num_layers=3&init=xavier_uniform&bias=true" +
  "&positions=sinusoidal&block=residual&batch=1&layer=2&head=4&cell=weights.3.2&picked=key.1_2" +
  "&precision=6&range=row";
const PAIR =
  "/compare?a.text=a%20cat%20sat&b.text=a%20black%20cat%20sat&b.seed=3&b.causal=false" +
  "&align=edit&head=2&cell=weights.3.1&stage=weights&of=b&precision=4";
const ADDRESSES = {
  "the stages": RICH,
  "a large stage": `${RICH}&stage=scaled_scores`,
  "the heads": `${RICH}&tab=heads&heads=0.1_2.4&combine=max&metric=distance&sorted=true`,
  "two questions": PAIR,
};

const hash = (text) => createHash("sha256").update(text).digest("hex");
const written = ({ type, checked, value }) => (["checkbox", "radio"].includes(type) ? checked : value);

/** All that is drawn, written and chosen. */
function seen(page) {
  const visible = page.all("canvas[data-layer]").filter((canvas) => canvas.checkVisibility());
  return {
    address: page.address,
    pictures: visible.map(({ painted }) => painted && hash(painted.data)),
    fields: page.all("input, select, textarea").map(written),
    given: page.one("#inspector").textContent,
    said: page.one("#picked, #trio").textContent,
    open: page.all("dialog[open]").map(({ textContent }) => textContent),
  };
}

/** Waits until both windows have their numbers and show the same. */
function alike(page, other) {
  return page.until(() => {
    const now = seen(page);
    assert.equal(page.document.body.dataset.status, "ready");
    assert.ok(now.given && now.said && now.pictures.length && !now.pictures.includes(null));
    assert.ok(!page.one("body.explore") || page.one("#inspector .value"), "the number of the pinned cell");
    assert.deepEqual(now, seen(other));
  });
}

async function windowAt(t, address) {
  const page = await openExplore(t, null);
  await page.goto(address);
  if (page.one("body.explore")) await page.whole();
  return page;
}

for (const [name, address] of Object.entries(ADDRESSES))
  test(`another window and a reload show ${name} exactly as before`, async (t) => {
    const page = await windowAt(t, address);
    const other = await windowAt(t, page.address);
    await alike(page, other);
    await page.reload();
    await alike(page, other);
  });

test("Back and Forward walk through what was looked at", async (t) => {
  const page = await openExplore(t);
  const signs = ["#inspector .guide", "#large .plot", "#large table", "#inspector output"];
  const large = () => page.in(page.one("#large"));
  const acts = [
    () => page.click(page.button("Enlarge weights", page.card("weights"))),
    async () => page.click(await large().findByLabelText("show as table")),
    () => page.click(page.all("#large td")[14]),
  ];
  const trail = [page.address];
  for (const [at, act] of acts.entries()) {
    await act();
    await page.see(signs[at + 1]);
    await page.until(() => assert.notEqual(page.address, trail.at(-1)));
    trail.push(page.address);
  }
  for (const at of [2, 1, 0]) {
    page.back();
    await page.see(signs[at]);
    await page.until(() => assert.equal(page.address, trail[at]));
  }
  assert.equal(page.one("#large").checkVisibility(), false);
  for (const at of [1, 2, 3]) {
    page.forward();
    await page.see(signs[at]);
    await page.until(() => assert.equal(page.address, trail[at]));
  }
});
