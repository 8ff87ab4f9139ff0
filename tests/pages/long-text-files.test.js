/** Text files: opened or dropped as one text, and refused beside the box. */

import assert from "node:assert/strict";
import test from "node:test";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";
import { chooseFile, file, isChosen, refusal, refuses } from "./support/long-text.js";

const MARK = "\ufeff"; // before a text in UTF-8

/** Drops files on an element. */
function drop(page, selector, ...files) {
  for (const type of ["dragenter", "dragover", "drop"]) {
    const event = new page.window.Event(type, { bubbles: true, cancelable: true });
    page.one(selector).dispatchEvent(Object.assign(event, { dataTransfer: { files, types: ["Files"] } }));
  }
}

test("a file becomes one text", async (t) => {
  const page = await openExplore(t);
  const body = await page.ask(() => chooseFile(page, file(page, "a.txt", `${MARK}one\r\ntwo`)));
  assert.equal(body.text, "one\ntwo");
  assert.equal(page.sentence.value, "one\ntwo");
  await isChosen(page, true);
});

full("why a file is not taken is said beside the box, until another text is", async (t) => {
  const page = await openExplore(t);
  const before = page.sentence.value;
  const gone = file(page, "a.txt", "here");
  gone.arrayBuffer = () => Promise.reject(new Error("gone"));
  const refused = [
    [file(page, "a.txt", new Uint8Array([255, 254, 97, 0])), /a\.txt is not text in UTF-8/],
    [file(page, "a.txt", ""), /a\.txt has no text in it/],
    [file(page, "a.txt", "x".repeat(10_000_000)), /more than [\d,]+ characters, the most/],
    [gone, /a\.txt cannot be read any more/],
  ];
  for (const [chosen, reason] of refused) {
    await chooseFile(page, chosen);
    await refuses(page, reason);
    assert.equal(page.sentence.value, before);
  }
  await page.fill(page.sentence, "typed");
  await page.until(() => assert.equal(refusal(page).textContent, ""));
});

full("a file that is dropped becomes the text of the box it falls on, and two are refused", async (t) => {
  const page = await openExplore(t);
  drop(page, "#pipeline", file(page, "a.md", "# one\n\ntwo"));
  drop(page, "#pipeline", file(page, "b.md", "# three\n\nfour")); // while the first one is read
  await page.until(() => assert.equal(page.sentence.value, "# three\n\nfour"));
  drop(page, "#text", file(page, "a.txt", "a"), file(page, "b.txt", "b"));
  await refuses(page, /Several text files at once/);
  drop(page, "#text", file(page, "picture", new Uint8Array([137, 80, 78, 71, 0])));
  await refuses(page, /picture is not text/);
  const body = await page.ask(() => drop(page, "#text", file(page, "notes", "five\nsix")));
  assert.equal(body.text, "five\nsix");
});
