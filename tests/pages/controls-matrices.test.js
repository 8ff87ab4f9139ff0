/** Explicit matrices are typed or pasted into boxes. */

import assert from "node:assert/strict";
import test from "node:test";
import { pictureOf } from "./support/cells.js";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";

const IDENTITY = "1 0\n0 1\n1 0\n0 1";
const box = (page, name) => page.in().getByRole("textbox", { name: new RegExp(`^${name}`) });

/** An Explore page with the boxes of explicit matrices open. */
async function openMatrices(t) {
  const page = await openExplore(t);
  const body = await page.ask(async () => page.choose(await page.field("Model"), "explicit"));
  assert.equal(body.model.source, "explicit");
  await page.shows(body);
  await page.click(await page.in().findByRole("button", { name: "Edit…" }));
  return page;
}

test("explicit matrices are typed or pasted", async (t) => {
  const page = await openMatrices(t);
  const typed = await page.ask(() => page.fill(box(page, "w_q"), "1 0\n0 −2\n3, 1\n0.5 0"));
  assert.deepEqual(typed.model.w_q, [[1, 0], [0, -2], [3, 1], [0.5, 0]]); // prettier-ignore
  const body = await page.ask(() => page.fill(box(page, "w_k"), "[[0,1],[1,0],[0,0],[2,2]]"));
  await page.click(page.button("Done"));
  await page.shows(body, ["q", "k", "scores", "weights"]);
});

full("a matrix that cannot be used is reported beside it, and the picture stays", async (t) => {
  const page = await openMatrices(t);
  const before = pictureOf(page.canvas("weights"));
  await page.fill(box(page, "w_q"), "1 0\nzero 1");
  await page.in().findByText(/^This is not a matrix of numbers\./);
  assert.deepEqual(pictureOf(page.canvas("weights")), before);
  await page.ask(() => page.fill(box(page, "w_q"), "1 2\n3"));
  const alert = page.one("[role=alert]", box(page, "w_q").closest("label"));
  await page.until(() => assert.ok(alert.textContent.includes("w_q")));
  assert.deepEqual(pictureOf(page.canvas("weights")), before);
  await page.ask(() => page.fill(box(page, "w_q"), IDENTITY));
  await page.shows(await page.ask(() => page.fill(box(page, "w_k"), IDENTITY)));
  assert.equal(alert.textContent, "");
});
