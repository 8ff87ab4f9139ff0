/** The presentation: what it leads through, what it names, and what is there after it. */

import assert from "node:assert/strict";
import test from "node:test";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";

const STAGES = 11;

/** Waits until a stage is presented. @param {any} page @param {string} stage @param {number} place from 1 */
async function shows(page, stage, place) {
  await page.until(() => assert.equal(page.one("#present .place").textContent, `${place} / ${STAGES}`));
  await page.see("#large canvas[data-layer]");
  assert.match(page.address, new RegExp(`stage=${stage}\\b`));
}
const hidden = (page, selector) => page.until(() => assert.equal(page.one(selector).checkVisibility(), false));

async function present(t, query) {
  const page = await openExplore(t, null);
  await page.goto(`/?present=1&${query}`);
  await page.see("#present .place");
  return page;
}

test("Escape leads back to the stage that was large before", async (t) => {
  const page = await openExplore(t);
  const press = (key) => page.user.keyboard(key);
  const title = () => page.one("#large h2").textContent;
  await page.click(page.button("Enlarge weights", page.card("weights")));
  await page.until(() => assert.equal(title(), "weights"));
  for (let time = 0; time < 2; time++) {
    await press("p"); // the first time fetches the script of the presentation
    await shows(page, "weights", 8);
    await press("{End}");
    await shows(page, "output", STAGES);
    await press("{Escape}");
    await hidden(page, "#present");
    await page.until(() => assert.equal(title(), "weights"));
    await page.addressHas("stage=weights");
  }
  await press("{Escape}");
  await hidden(page, "#large");
  await press("p");
  await shows(page, "x", 1);
  await press("{Escape}");
  await hidden(page, "#large");
});

test("a p in the sentence is a letter", async (t) => {
  const page = await openExplore(t);
  const { sentence } = page;
  await page.user.type(sentence, "p");
  assert.match(sentence.value, /p$/);
  await page.addressHas("text=");
  assert.equal(page.one("#present").checkVisibility(), false);
  assert.ok(!page.address.includes("present"));
});

full("a stage of heads names its head", async (t) => {
  const page = await present(t, "stage=weights&head=2");
  const about = () => page.one("#present .about").textContent;
  await page.until(() => assert.equal(about(), "L0 H2 Softmax: each row becomes shares that add up to 1."));
  await page.user.keyboard("{End}");
  await shows(page, "output", STAGES);
  assert.doesNotMatch(about(), /H2/);
});

full("the stepper is presented chapter by chapter", async (t) => {
  const page = await present(t, "step=scores.100");
  const says = (title, place) =>
    page.until(() => {
      assert.equal(page.one("#stepper h2").textContent, title);
      assert.equal(page.one("#present .place").textContent, `${place} / 10`);
    });
  await says("q · k", 2);
  page.in(page.one("#stepper")).getByLabelText("Speed").value = "4"; // each chapter is played to its end
  await page.user.keyboard("{ArrowRight}");
  await says("Scale", 3);
  await page.addressHas("step=scaled_scores.100");
  await page.user.keyboard("{ArrowLeft}");
  await says("q · k", 2);
});
