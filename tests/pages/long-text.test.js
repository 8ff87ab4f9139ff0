/** Line breaks that belong to a text: chosen beside the box, kept in addresses, and written by a model. */

import assert from "node:assert/strict";
import test from "node:test";
import { SEEDED, openExplore } from "./support/explore.js";
import { full } from "./support/full.js";
import { POEM, choice, isChosen } from "./support/long-text.js";

const ALONE = "床前明月光";

const countOf = (page) => page.one("#tokens .count").textContent;

full("lines are texts until their breaks belong to the text", async (t) => {
  const page = await openExplore(t);
  assert.ok(!choice(page, true).checkVisibility());
  const parted = await page.ask(() => page.fill(page.sentence, POEM));
  assert.deepEqual(parted.text, ["the cat sat", "on the mat", "and slept"]);
  assert.ok(!page.address.includes("breaks"));
  assert.ok(choice(page, false).checked);
  const whole = await page.ask(() => page.click(choice(page, true)));
  assert.equal(whole.text, POEM);
  await page.addressHas("breaks=true");
  assert.match(page.one(".line-breaks").textContent, /1 text of 4 lines/);
  await page.until(() => assert.equal(countOf(page), "8 tokens"));
  await page.click(page.button(/^Undo/, page.one("#change")));
  await isChosen(page, false);
  page.back();
  await isChosen(page, true);
});

full("a text comes back with its line breaks from the address, over a reload and by a short link", async (t) => {
  const page = await openExplore(t, `${SEEDED}&text=${encodeURIComponent(POEM)}&breaks=true`);
  const { trace } = await page.answer();
  const opened = [() => undefined, () => page.reload(), () => page.goto(`/?t=${trace}`)];
  for (const open of opened) {
    await open();
    await page.until(() => assert.equal(page.sentence.value, POEM));
    await isChosen(page, true);
    assert.equal(page.question().text, POEM);
  }
});

test("what a model writes goes on in one text", async (t) => {
  const page = await openExplore(t, null);
  await page.goto(`/?source=installed&name=echo-zh&tab=decode&text=${encodeURIComponent(ALONE)}`);
  const writing = page.in(await page.see("#panel-decode .writing"));
  await page.fill(writing.getByLabelText("Tokens"), "4");
  await page.click(await writing.findByRole("button", { name: /^Continue the text/ }));
  await page.until(() => assert.match(page.sentence.value, new RegExp(`^${ALONE}.*\\n`)));
  await isChosen(page, true);
  await page.until(() => assert.equal(countOf(page), "9 tokens"));
  assert.equal(page.question().text, page.sentence.value);
});

test("the sides of a comparison and a context have the same choice", async (t) => {
  const page = await openExplore(t, null);
  await page.goto(`/compare?a.text=${encodeURIComponent(POEM)}&a.breaks=true&b.text=a&b.context=b%0Ac`);
  const [a, b] = ["#a", "#b"].map((name) => page.one(name));
  await isChosen(page, true, a);
  await isChosen(page, false, b);
  const body = await page.ask(() => page.click(choice(page, true, b)));
  assert.deepEqual([body.text, body.context], ["a", "b\nc"]);
  await page.addressHas("a.breaks=true", "b.breaks=true");
});
