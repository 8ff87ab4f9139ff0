/** Text that is pasted: one text or several, as it is meant, and never cut. */

import assert from "node:assert/strict";
import test from "node:test";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";
import { POEM, choice, chooseFile, file, refuses } from "./support/long-text.js";

/** Pastes where the caret is, or in the place of all there is. */
async function paste(page, text, { over = true } = {}) {
  page.sentence.focus();
  if (over) page.sentence.select();
  else page.sentence.setSelectionRange(page.sentence.value.length, page.sentence.value.length);
  await page.user.paste(text);
}

const offer = (page) => page.one("#sentence .offer");

full("a text is the same question pasted or from a file", async (t) => {
  const page = await openExplore(t, null);
  for (const text of ["one line", POEM, "one line with its break\n"])
    for (const take of [() => paste(page, text), () => chooseFile(page, file(page, "a.txt", text))]) {
      await page.open();
      const body = await page.ask(take);
      assert.equal(body.text, text);
      assert.equal(page.sentence.value, text);
    }
});

full("lines that are pasted over all may be made texts", async (t) => {
  const page = await openExplore(t);
  assert.equal((await page.ask(() => paste(page, POEM))).text, POEM);
  assert.match(offer(page).textContent, /^Pasted 3 lines as one text\./);
  const body = await page.ask(() => page.click(page.button("Make each line a text of its own", offer(page))));
  assert.equal(body.text.length, 3);
  await page.until(() => assert.equal(offer(page).textContent, ""));
  assert.equal(page.document.activeElement, choice(page, false));
});

full("lines that are pasted among others may be made one text", async (t) => {
  const page = await openExplore(t);
  await page.ask(() => page.fill(page.sentence, "a title\n"));
  const parted = await page.ask(() => paste(page, POEM, { over: false }));
  assert.deepEqual(parted.text, ["a title", "the cat sat", "on the mat", "and slept"]);
  assert.match(offer(page).textContent, /^Pasted 3 lines, and each/);
  const body = await page.ask(() => page.click(page.button("Make them one text", offer(page))));
  assert.equal(body.text, `a title\n${POEM}`);
  await page.until(() => assert.equal(offer(page).textContent, ""));
  assert.equal(page.document.activeElement, choice(page, true));
});

test("a paste that is too long changes nothing", async (t) => {
  const page = await openExplore(t);
  const before = page.sentence.value;
  await paste(page, "many words ".repeat(1_000_000));
  await refuses(page, /Nothing was changed/);
  assert.equal(page.sentence.value, before);
});
