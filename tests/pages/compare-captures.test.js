/** Captures on the Compare page: beside another capture, and beside a model. */

import assert from "node:assert/strict";
import test from "node:test";
import { Compare } from "./support/compare.js";
import { dropAt, smallFile, weightsFile } from "./support/files.js";
import { FormRequest } from "./support/form-request.js";
import { kept } from "./support/page.js";

const [L, H, N] = [2, 2, 3];
const TOKENS = ["a", " cat", " sat"];

/** Causal weights whose last row differs by `by`; q for a capture without them. */
const weights = (by) => ({
  shape: [L, H, N, N],
  values: Array.from({ length: L * H }, () => [1, 0, 0, 0.25, 0.75, 0, 0.5 - by, 0.25, 0.25 + by]).flat(),
});

/** Sends a capture past the page: its id. */
async function capture(page, tensors) {
  const body = new page.window.FormData();
  body.append("arrays", weightsFile("run.safetensors", tensors));
  body.append("tokens", JSON.stringify(TOKENS));
  return (await (await page.window.fetch("/api/v1/captures", { method: "POST", body })).json()).id;
}

test("captures are compared at the stages that both have", async (t) => {
  const page = kept(t, new Compare());
  await page.open();
  const [one, other] = [await capture(page, { weights: weights(0) }), await capture(page, { weights: weights(0.125) })];
  const seen = () => page.all("#contrasts [data-stage]:not([hidden])").map(({ dataset }) => dataset.stage);

  await page.open(`/compare?a.source=captured&a.id=${one}&b.source=captured&b.id=${other}`);
  assert.deepEqual(seen(), ["weights"]);
  assert.match(page.textOf("weights"), /max \|Δ\| 0\.125/);
  await page.open(`/compare?a.source=captured&a.id=${one}&b.text=a%20cat%20sat`);
  assert.deepEqual(seen(), ["weights"]);
  const alone = page.side("A").textContent;
  assert.ok(!alone.includes("stages"), alone);
  assert.match(page.side("B").textContent, /Without a counterpart in A: .*stages x, q, k, v, scores/);

  page.window.XMLHttpRequest = FormRequest.bind(null, page.window.fetch);
  dropAt(page, page.side("A"), weightsFile("other.safetensors", { weights: weights(0.25) }));
  await page.click(page.in(await page.see("dialog .capture")).getByText("Send and compare"));
  await page.until(() => assert.match(page.address, /a\.source=captured&a\.id=/));
  await page.until(() => assert.match(page.textOf("weights"), /max \|Δ\|/));
  await page.until(() => assert.equal(page.one("dialog .capture"), null));
});

test("a file dropped beside both sides is for the side that waits for one", async (t) => {
  const page = kept(t, new Compare());
  await page.goto("/compare?b.source=uploaded");
  await page.see("#b[data-status=no_upload]");
  page.window.XMLHttpRequest = FormRequest.bind(null, page.window.fetch);
  dropAt(page, page.window.document.body, smallFile({ num_heads: "2" }));
  await page.until(() => assert.match(page.address, /b\.source=uploaded&b\.id=/));
});
