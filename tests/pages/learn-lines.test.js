/** Lines that the reader writes: marked by the server, kept in the browser, revealed after wrong ones. */

import assert from "node:assert/strict";
import test from "node:test";
import { Chapter } from "./support/chapter.js";
import { later } from "./support/clock.js";
import { kept } from "./support/page.js";

test("a line is refused, explained, revealed and right", async (t) => {
  const page = kept(t, new Chapter());
  page.name = "write_it";
  await page.goto("/learn/write_it");
  const form = page.one('.line-form[data-stage="scaled_scores"]');
  const area = page.in(form).getByRole("textbox", { name: "Your line for scaled scores" });
  const verdict = page.in(form).getByRole("status");
  const says = (words) => page.until(() => assert.ok(verdict.textContent.includes(words), verdict.textContent));
  const check = () => page.click(page.in(form).getByRole("button", { name: "Check" }));
  await check();
  await says("Nothing is written yet");
  await page.fill(area, "scores[i, j] / d_k");
  await check();
  await says("not by its root");
  assert.equal(form.className, "line-form wrong");
  await page.fill(area, "scores[i, j] / sqrt(dk)");
  await check();
  await says("Place 21");
  assert.equal(area.selectionStart, 20);
  await page.click(page.in(form).getByRole("button", { name: "Show a right line" }));
  await says("scores[i, j] / sqrt(d_k)");
  await page.fill(area, "scores[i, j] / sqrt(d_k)");
  await check();
  await says("Right on all random questions");
  assert.equal(form.className, "line-form right");
});

test("what is typed before the script has come stays, and is checked by it", async (t) => {
  const page = kept(t, new Chapter({ storage: { "line-scaled_scores": "scores[i, j]" } }));
  page.name = "write_it";
  const { reply, send } = later();
  let tries = 0;
  page.route(/learn\/write-line\.js$/, () => {
    if ((tries += 1) === 1) throw new TypeError("connection refused");
    return reply;
  });
  await page.goto("/learn/write_it");
  const form = page.one('.line-form[data-stage="scaled_scores"]');
  const area = page.in(form).getByRole("textbox");
  const check = page.in(form).getByRole("button", { name: "Check" });
  assert.equal(check.disabled, true); // the browser would leave the page
  await page.until(() => assert.equal(tries, 2));
  await page.fill(area, "nothing that is right");
  send();
  await page.click(check);
  await page.until(() => assert.equal(form.className, "line-form wrong"));
  assert.equal(area.value, "nothing that is right");
});
