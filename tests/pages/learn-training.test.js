/** The figure that trains a model while one reads: its losses, its weights after each step, and what it is set to. */

import assert from "node:assert/strict";
import test from "node:test";
import { pictureOf } from "./support/cells.js";
import { openChapter } from "./support/chapter.js";
import { later } from "./support/clock.js";
import { full } from "./support/full.js";

const TRAINING = "/api/v1/training";

async function openTraining(t) {
  const page = await openChapter(t, "training_step");
  const figure = page.figure("reverse");
  const says = (words) => page.until(() => assert.match(figure.textContent, words));
  await says(/After 60 steps/);
  return { page, figure, says, within: page.in(figure) };
}

full("training is watched step by step, and where it diverges it says so", async (t) => {
  const { page, figure, says, within } = await openTraining(t);
  await says(/After 60 steps: loss 0\.00/);
  within.getByRole("img", { name: /^Loss, step 59:/ });
  const painted = () => pictureOf(page.one("canvas[data-layer]", figure));
  const learned = painted();
  await page.fill(within.getByLabelText(/^after step/), "0");
  await says(/After 0 steps: loss 2\.0/);
  await page.until(() => assert.notDeepEqual(painted(), learned));
  const rate = within.getByLabelText(/^step size/);
  await page.fill(rate, rate.max);
  await says(/With the step size 10 training diverged at step \d+/);
});

test("Train plays what was trained from step 0 on: the loss and the map move", async (t) => {
  const { page, figure, says, within } = await openTraining(t);
  const steps = within.getByLabelText("steps");
  await page.fill(steps, "4");
  await says(/After 4 steps/);
  const seen = [];
  const watch = new page.window.MutationObserver(() => {
    const [, step] = /After (\d+) steps?/.exec(figure.textContent) ?? [];
    if (seen.at(-1) !== step) seen.push(step);
  });
  watch.observe(figure, { childList: true, subtree: true, characterData: true });
  const count = page.asked.length;
  await page.click(page.button("Train", figure));
  await page.until(() => assert.deepEqual(seen.slice(-5), ["0", "1", "2", "3", "4"]));
  watch.disconnect();
  const asked = page.asked.slice(count).map(({ body }) => body?.model?.step);
  assert.ok(
    [0, 3].every((step) => asked.includes(step)),
    String(asked),
  );
});

full("a training says its bounds, and that the figure shows the training before", async (t) => {
  const { page, figure, says, within } = await openTraining(t);
  const steps = within.getByLabelText("steps");
  const before = page.asked.length;
  await page.fill(steps, "99999");
  assert.equal(steps.getAttribute("aria-invalid"), "true");
  within.getByText("a number from 1 to 1,000", { selector: "[role=alert]" });
  await page.click(page.button("Train", figure));
  assert.equal(page.document.activeElement, steps);
  assert.ok(!page.asked.slice(before).some(({ path }) => path === TRAINING));
  const held = later();
  page.route(/\/training$/, () => held.reply);
  await page.fill(steps, "10");
  await within.findByText("Training. What is drawn is the training before.", { selector: "[role=status]" });
  assert.equal(steps.hasAttribute("aria-invalid"), false);
  assert.match(figure.textContent, /After 60 steps/);
  held.send();
  await says(/After 10 steps/);
  assert.equal(within.queryByText(/What is drawn is the training before/), null);
});
