/** The panel and the number of the pinned cell: small and large matrices, and what stands in their way. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fieldOf, isTyped, type, typed } from "./support/changes.js";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";

/** The panel of changes, once its tensors can be chosen. */
async function panel(page) {
  await page.see("#editor button");
  return page.in(page.one("#editor"));
}

/** Waits until the number of the pinned cell cannot be changed: the reason. */
const obstacle = (page) =>
  page.until(() => {
    assert.equal(fieldOf(page).disabled, true);
    return page.one("#number .obstacle");
  });

describe("change panel", () => {
  const visit = onePage();

  test("a small matrix is a grid of numbers that are typed", async () => {
    const page = await visit("/?source=explicit&text=a%20b");
    await page.click(page.button("Change", page.one("#change")));
    await page.click((await panel(page)).getByRole("button", { name: "w_v" }));
    const cell = await (await panel(page)).findByRole("textbox", { name: "w_v · d_model 0 · kv_head·d_v 0" });
    const body = await page.ask(() => page.fill(cell, "0.25"));
    assert.deepEqual(body.model.w_v[0], [0.25, 0, 0, 0]);
    await page.shows(body, ["v", "head_outputs", "output"]);
    await page.user.keyboard("{Enter}");
    await page.fill(cell, "nonsense");
    assert.equal(cell.getAttribute("aria-invalid"), "true");
    await page.user.keyboard("{Escape}");
    assert.equal(cell.value, "0.25");
    assert.equal(cell.hasAttribute("aria-invalid"), false);
  });

  full("a large matrix is a picture whose cells are picked with keys", async () => {
    const page = await visit("/?change=w_o");
    const picture = await (await panel(page)).findByRole("grid");
    assert.equal(picture.getAttribute("aria-rowcount"), "64");
    picture.focus();
    await page.user.keyboard("{ArrowDown}{ArrowRight}{Enter}");
    const body = await type(page, "3");
    assert.equal(body.model.w_o[1][1], 3);
    await page.shows(body, ["concat", "output"]);
  });

  full("an address opens the panel with a tensor, in the language of the page", async () => {
    const page = await visit("/?change=b_q&bias=true&lang=zh&d_model=8&num_heads=2");
    await page.until(() => assert.equal(page.all("#editor input").length, 8));
    assert.equal(page.one("#editor").getAttribute("aria-label"), "随意修改");
    assert.equal((await panel(page)).getByRole("button", { name: "b_q" }).getAttribute("aria-pressed"), "true");
  });

  test("several layers cannot be typed, and become one layer that can", async () => {
    const page = await visit("/?num_layers=2&positions=alibi&cell=w_q.0.0&text=a%20b");
    const why = await obstacle(page);
    assert.match(why.textContent, /explicit weights are one layer/);
    const body = await page.ask(() => page.click(page.one("button", why)));
    assert.equal(body.model.num_layers, 1);
    const { model } = await type(page, "1");
    assert.deepEqual([model.source, model.positions], ["explicit", "alibi"]);
  });

  test("one layer of several is taken by itself, with the same numbers", async () => {
    const page = await visit("/?source=crafted&name=induction&text=a%20b%20c%20a&layer=1&cell=w_q.0.0");
    const before = (await page.answer()).layers[1];
    const way = page.in(await obstacle(page)).getByRole("button", { name: "Take layer 1 by itself" });
    const body = await page.ask(() => page.click(way));
    assert.equal(body.model.source, "explicit");
    const after = (await page.answer(body)).layers[0];
    for (const stage of ["x", "q", "weights", "output"]) {
      const [is, was] = [after, before].map((layer) => layer[stage].flat(Infinity));
      assert.equal(is.length, was.length);
      for (const [at, value] of is.entries()) assert.ok(Math.abs(value - was[at]) <= 1e-12);
    }
    await page.shows(await type(page, "2"), ["q", "weights"]);
  });

  test("sentences of different lengths have no common x, and one of them has its own", async () => {
    const page = await visit("/?text=a%20b%0Ac%20d%20e&batch=1&cell=x.2.0");
    const why = await obstacle(page);
    assert.match(why.textContent, /the sentences differ in length/);
    const alone = await page.ask(() => page.click(page.one("button", why)));
    assert.equal(alone.text, "c d e");
    await typed(page);
    const body = await type(page, "1");
    assert.deepEqual([body.x.length, ...new Set(body.x.map((row) => row.length))], [3, 64]);
    assert.equal(body.x[2][0], 1);
    await isTyped(page, "1");
  });
});
