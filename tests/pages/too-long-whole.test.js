/** A text with whole maps that is too long for what takes more: its gradients, and every precision at once. */

import assert from "node:assert/strict";
import { full } from "./support/full.js";
import { OF_THE_API, WORDS, openTooLong } from "./support/too-long.js";

const FOUR = "/?source=seeded&num_heads=4&d_model=8";
const SOME = WORDS.slice(0, 1700);

full("a text that is too long for gradients alone is shortened to what has them", async (t) => {
  const page = await openTooLong(t, `${FOUR}&tab=gradients`, SOME);
  await page.says("This text is too long for Gradients");
  for (const name of ["Parameters", "Worth", "Decode", "Laboratory"]) assert.ok(!page.tab(name).matches("[data-shut]"));
  const cut = page.button(/Use the first 1,\d00 tokens/, page.card);
  const size = Number(cut.textContent.replace(/\D/g, ""));
  page.route(/\/gradients/, () => new Promise(() => undefined)); // they take seconds
  await page.request(
    () => page.click(cut),
    ({ path }) => path.includes("/gradients"),
  );
  assert.equal(page.sentence.value, SOME.slice(0, size).join(" "));
  await page.saysNothing();
  assert.deepEqual(page.refusals, []);
});

full("more precisions than can be computed at once are refused in words", async (t) => {
  const page = await openTooLong(t, `${FOUR}&tab=lab&lab=precision`, SOME);
  const error = () => page.one("#panel-lab .rounding > .error").textContent;
  await page.until(() => assert.match(error(), /more than can be computed at once/));
  assert.doesNotMatch(error(), OF_THE_API);
});
