/** Every chapter of the course: its figures, its exercises, and its place for a sentence of one's own. */

import assert from "node:assert/strict";
import test from "node:test";
import { openChapter } from "./support/chapter.js";

const contents = await fetch(`${process.env.ATTNSCOPE_URL}/learn`);
const NAMES = [...(await contents.text()).matchAll(/data-glance="(\w+)"/g)].map(([, name]) => name);

test("the contents name every chapter", () => assert.ok(NAMES.length > 20, NAMES.join()));

for (const name of NAMES)
  test(`chapter ${name}`, async (t) => {
    const page = await openChapter(t, name);
    const figures = Object.values(page.data.figures);

    await t.test("every figure is drawn", async () => {
      for (const figure of figures)
        for (const stage of figure.stages)
          await page.until(() => assert.ok(page.picture(figure.name, stage)?.painted, `${figure.name}: ${stage}`));
    });

    await t.test("every exercise is failed and then solved", async () => {
      const exercises = await page.exercises();
      const forms = await page.forms();
      assert.equal(forms.length, exercises.length);
      for (const [at, { exercise, right, wrong }] of exercises.entries()) {
        if (exercise.open) continue; // not marked
        await page.predict(forms[at], exercise, wrong);
        await page.until(() => assert.equal(forms[at].className, "exercise wrong"));
        assert.ok(page.one(".hint", forms[at]).checkVisibility());
        assert.equal(page.one(".way", forms[at]), null);
        await page.predict(forms[at], exercise, right);
        await page.until(() => assert.equal(forms[at].className, "exercise right"));
        assert.ok(page.one(".way", forms[at]).checkVisibility());
      }
    });

    await t.test("figures of the reader's sentence are named where others are not of it", () => {
      const own = figures.filter((figure) => figure.own).map((figure) => figure.name);
      const some = own.length < figures.length;
      const label = some ? "Your sentence, in the figures that say so below them" : "Your sentence, in every figure";
      assert.equal(page.sentence?.labels[0].textContent, own.length ? label : undefined);
      const captions = page.in().queryAllByText("Your sentence.", { selector: "figcaption > b" });
      const names = captions.map((each) => page.one("[data-figure]", each.closest("figure")).dataset.figure);
      assert.deepEqual(names.toSorted(), some ? own.toSorted() : []);
    });
  });
