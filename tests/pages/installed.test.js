/** Models that are on the server: chosen by name, in the address, with their own tokens. */

import assert from "node:assert/strict";
import test from "node:test";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";
import { Page, kept } from "./support/page.js";

const TEXT = "Winston Churchill met Harry Truman. Winston";
const ECHO = `/?text=${encodeURIComponent(TEXT)}&source=installed&name=echo`;
const longText = (words) => "Harry ".repeat(words) + "end";

/** The button that cuts a text which is too long, once it is offered. */
const wayOn = (page, name) => page.in(page.one("#sentence")).findByRole("button", { name });

test("a model is chosen by name and uses its own tokenizer", async (t) => {
  const page = await openExplore(t);
  const models = await page.field("Model");
  const named = [...models.options].filter(({ text }) => /^echo — trained, \d+ layers × \d+ heads$/.test(text));
  assert.equal(named.length, 1);
  const body = await page.ask(() => page.choose(models, "installed:echo"));
  assert.deepEqual(body.model, { source: "installed", name: "echo" });
  assert.ok(!("tokenizer" in body));
  await page.addressHas("source=installed", "name=echo");
  const options = page.in(page.one("#options"));
  await page.until(() => {
    for (const name of [/^d_model/, /^seed/, /^heads/]) assert.deepEqual(options.queryAllByLabelText(name), []);
  });
  await page.more();
  const tokenizer = await page.field("tokenizer");
  assert.equal(tokenizer.value, "3");
  const shown = [...tokenizer.options].filter(({ hidden }) => !hidden);
  assert.deepEqual(
    shown.map(({ text }) => text),
    ["the model's own"],
  );
  assert.equal((await page.field("init")).checkVisibility(), false);
});

full("an address opens a revision of a model, and the last one is not named", async (t) => {
  const page = await openExplore(t, `${ECHO}&revision=step-400`);
  assert.equal(page.question().model.revision, "step-400");
  const training = await page.field("training");
  assert.equal(training.selectedOptions[0].text, "step 400");
  const last = [...training.options].at(-1);
  assert.ok(last.text.includes("last"));
  const body = await page.ask(() => page.choose(training, last.value));
  assert.ok(!("revision" in body.model));
  await page.addressLacks("revision=");
  assert.equal(page.in().queryByText(/means nothing/), null);
});

full("pieces of text show their spaces and are read as words", async (t) => {
  const page = await openExplore(t, ECHO);
  const [tokens] = (await page.answer()).tokens;
  const at = tokens.findIndex((token) => token[0] === " " && tokens.indexOf(token) === tokens.lastIndexOf(token));
  const word = tokens[at].trim();
  const chips = page.all("#tokens .chip");
  assert.match(chips[at].textContent, new RegExp(`^·${word} ?${at}$`));
  const named = page.in(page.one("#tokens")).getAllByRole("option", { name: new RegExp(`^${word} ?${at}$`) });
  assert.equal(named.length, 1);
  assert.match(page.one(`[data-row="${at}"]`, page.card("weights")).textContent, new RegExp(`^·${word}`));
});

test("a text longer than the context is cut where the refusal says", async (t) => {
  const page = await openExplore(t, ECHO);
  await page.fill(page.sentence, longText(200));
  await page.click(await wayOn(page, "End the text there"));
  await page.until(() => assert.equal(page.one("#tokens .count").textContent, "128 tokens"));
  assert.equal(page.document.activeElement, page.sentence);
  assert.match(page.sentence.value, /Harry$/);
  assert.equal(page.in(page.one("#sentence")).queryByText("End the text there"), null);
  await page.fill(page.sentence, `one\n${longText(200)}\nthree`);
  await page.in(page.one("#sentence")).findByText(/It is text 2 of 3\./);
  await page.click(await wayOn(page, "End the text there"));
  await page.until(() => assert.ok(!page.one("#sentence").textContent.includes("It is text 2")));
  await page.until(() => assert.match(page.sentence.value, /^one\n(Harry )+Harry\nthree$/));
});

full("a text longer than the context continues with seeded weights", async (t) => {
  const page = await openExplore(t, ECHO);
  const text = longText(150);
  await page.fill(page.sentence, text);
  const body = await page.ask(async () => page.click(await wayOn(page, "Use seeded weights")));
  assert.deepEqual([body.model.source, body.text], ["seeded", text]);
  await page.until(() => assert.equal(page.document.body.dataset.status, "ready"));
  assert.equal(page.document.activeElement, page.sentence);
  assert.equal(page.sentence.value, text);
});

full("Compare takes two revisions of a model", async (t) => {
  const page = kept(t, new Page());
  const side = (name) => new URLSearchParams({ [`${name}.source`]: "installed", [`${name}.name`]: "echo", [`${name}.text`]: TEXT }); // prettier-ignore
  await page.goto(`/compare?${side("a")}&${side("b")}&b.revision=step-400`);
  await page.see('[data-stage="weights"] canvas');
  assert.equal(page.in().getAllByLabelText(/^Model/)[0].value, "installed:echo");
  const [, second] = page.in().getAllByLabelText("training");
  assert.equal(second.value, "0");
});
