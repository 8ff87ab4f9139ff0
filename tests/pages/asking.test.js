/** A sentence that is typed is answered; the last text wins. */

import assert from "node:assert/strict";
import test from "node:test";
import { pictureOf } from "./support/cells.js";
import { holdPauses, later } from "./support/clock.js";
import { ATTENTION, openExplore } from "./support/explore.js";
import { full } from "./support/full.js";

const words = (count) => Array.from({ length: count }, (_, index) => `w${index}`).join(" ");
const picture = (page) => pictureOf(page.canvas("weights"));
const tokens = (page) => page.in().getByRole("listbox", { name: "Tokens" }).textContent;

test("a typed sentence draws its answer, and the last letter counts", async (t) => {
  const page = await openExplore(t);
  const body = await page.ask(() => page.fill(page.sentence, "The cat sat on the mat"));
  const reply = await page.shows(body, ["x", "weights", "output"]);
  assert.deepEqual(reply.tokens, [["The", "cat", "sat", "on", "the", "mat"]]);
  for (const token of reply.tokens[0]) assert.ok(tokens(page).includes(token));
  await page.user.clear(page.sentence);
  await page.user.type(page.sentence, "I love eating pizza");
  await page.until(() => assert.equal(page.question().text, "I love eating pizza"));
  await page.shows(page.question());
});

test("a late answer does not replace a newer one", async (t) => {
  const page = await openExplore(t);
  const late = later();
  page.route(/attention$/, ({ body }) => (body.text.startsWith("slow") ? late.reply : undefined));
  const slow = await page.ask(() => page.fill(page.sentence, "slow slow slow"));
  const newer = await page.ask(() => page.fill(page.sentence, "fast and last"));
  await page.shows(newer);
  const headers = { "Content-Type": "application/json", Accept: "application/x-safetensors" };
  const options = { method: "POST", body: JSON.stringify(slow), headers };
  const reply = await fetch(process.env.ATTNSCOPE_URL + ATTENTION, options);
  late.send(new Response(await reply.arrayBuffer(), reply));
  await page.answer(slow); // a round trip later
  await page.shows(newer);
  assert.ok(!tokens(page).includes("slow"));
});

full("the page is dimmed while a slow answer is on its way", async (t) => {
  const page = await openExplore(t);
  const held = later();
  page.route(/attention$/, () => held.reply);
  await page.fill(page.sentence, "another text that takes long");
  await page.see("#looks[data-other]");
  held.send();
  await page.see("body[data-status=ready] #looks:not([data-other])");
});

full("heads that come late leave the answer ready", async (t) => {
  const page = await openExplore(t, "/?text=a%20b&num_layers=4&num_heads=8");
  const endPauses = holdPauses(page);
  const heads = later();
  page.route(/thumbnails\/weights/, () => heads.reply);
  await page.fill(page.sentence, words(160));
  endPauses();
  await page.until(() => assert.ok(page.asked.some(({ path }) => path.includes(`thumbnails/weights`))));
  await page.see("body[data-status=ready]");
  endPauses(); // an answer would be called slow now
  assert.equal(page.document.body.dataset.status, "ready");
  heads.send();
  await page.until(() => assert.equal(page.all("#heads .thumbnail:not(.absent)").length, 32));
  assert.equal(page.document.body.dataset.status, "ready");
});

test("several lines are a batch, whose sentence is chosen", async (t) => {
  const page = await openExplore(t);
  const text = "The cat sat on the mat\n猫爱吃鱼";
  const body = await page.ask(() => page.fill(page.sentence, text));
  assert.deepEqual(body.text, text.split("\n"));
  await page.shows(body, ["x", "weights"]);
  const chooser = page.in().getByRole("combobox", { name: "Sentence of the batch" });
  assert.equal(page.in(chooser).getAllByRole("option").length, 2);
  await page.choose(chooser, "1");
  const reply = await page.shows(body, ["x", "masked_scores", "weights"], { batch: 1 });
  assert.deepEqual(reply.lengths, [6, 4]);
  await page.fill(page.sentence, "one line again");
  await page.until(() => assert.ok(!chooser.checkVisibility()));
});

full("an empty text says so and is filled again", async (t) => {
  const page = await openExplore(t);
  const before = picture(page);
  const said = () => page.in().queryByText("Nothing to attend to yet.");
  for (const blank of ["", "   ", "\n\n"]) {
    await page.fill(page.sentence, blank);
    await page.until(() => assert.ok(said()));
  }
  await page.shows(await page.ask(() => page.fill(page.sentence, "back again")));
  assert.equal(said(), null);
  await page.fill(page.sentence, "");
  await page.click(await page.in().findByRole("button", { name: "Use the example sentence" }));
  await page.until(() => assert.deepEqual(picture(page), before));
  assert.ok(page.asked.every(({ path, body }) => path !== ATTENTION || body.text.trim()));
});

test("a text that looks like markup stays text", async (t) => {
  const page = await openExplore(t);
  const body = await page.ask(() => page.fill(page.sentence, "<img src=x onerror=alert(1)> & <b>bold</b>"));
  const reply = await page.shows(body);
  assert.deepEqual(reply.tokens[0].slice(0, 2), ["<", "img"]);
  assert.equal(page.one("main img"), null);
});
