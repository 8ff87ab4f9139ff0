/** Pictures that look empty. */

import assert from "node:assert/strict";
import test from "node:test";
import { openExplore } from "./support/explore.js";

const WIDTH = 20;
const IDENTITY = Array.from({ length: WIDTH }, (_, row) =>
  Array.from({ length: WIDTH }, (__, col) => Number(row === col)),
);
const MODEL = { source: "explicit", w_q: IDENTITY, w_k: IDENTITY, w_v: IDENTITY };

test("a picture that one large value empties says which", async (t) => {
  const page = await openExplore(t, "/?source=seeded");
  const x = Array.from({ length: 10 }, () => new Array(WIDTH).fill(0.5));
  x[3][7] = -20000;
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ x, tokens: [..."abcdefghij"], model: MODEL });
  const reply = await page.window.fetch("/api/v1/traces", { method: "POST", headers, body });
  const { trace } = await reply.json();
  const note = (stage) => page.one(".legend .outlier", page.card(stage));
  assert.ok(note("x").hidden);
  await page.open(`/?t=${trace}`);
  await page.until(() =>
    assert.equal(
      note("x").textContent,
      "One value of “d”, −2×10⁴, sets these colours: 99.5\u202f% of the cells lie within ±320 and look empty.",
    ),
  );
});
