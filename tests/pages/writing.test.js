/** Decode continues the text, and what was written becomes the question. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { later } from "./support/clock.js";
import { full } from "./support/full.js";
import { onePage, ownPage } from "./support/one-page.js";
import { textOf, textsOf } from "./support/texts.js";

const TEXT = "Winston Churchill met Harry Truman. Winston";
const ECHO = `/?text=${encodeURIComponent(TEXT)}&source=installed&name=echo`;

const writing = (page) => page.one("#panel-decode .writing");
const field = (page, name) => page.in(writing(page)).getByLabelText(new RegExp(`^${name}`));
const button = (page) => page.in(writing(page)).getByRole("button", { name: "Continue the text" });
const write = (page) => page.click(button(page));
const pieces = (page) => page.all("li", writing(page));

/** Waits until this many pieces are written. */
const wrote = (page, count) => page.until(() => assert.equal(pieces(page).length, count));

async function openDecode(visit) {
  const page = await visit(`${ECHO}&tab=decode`);
  await page.until(() => assert.match(textOf(writing(page)), /Room for \d+ more/));
  return page;
}

async function continued(page, how) {
  const { trace } = await page.answer();
  return page.json(`/api/v1/traces/${trace}/continuations`, how);
}

describe("writing", () => {
  const visit = onePage();

  full("a text that is written becomes the question, and one step to undo", async () => {
    const page = await openDecode(visit);
    const reply = await continued(page, { tokens: 5 });
    await page.fill(field(page, "Tokens"), "5");
    await write(page);
    await page.until(() => assert.equal(page.sentence.value, TEXT + reply.text));
    await wrote(page, 5);
    pieces(page).forEach((item, at) => {
      assert.ok(textOf(item).includes(reply.pieces[at].trim()));
      const percent = (100 * Math.exp(reply.log_probabilities[at])).toFixed(0);
      assert.match(textOf(item), new RegExp(`${percent}|\\d\\.\\d`));
    });
    await page.until(() => assert.ok(textOf(page.one("#panel-decode .player")).includes("Step 6 of 6")));
    await page.click(page.in(page.one("#change")).getByRole("button", { name: /^Undo/ }));
    await page.until(() => assert.equal(page.sentence.value, TEXT));
    await wrote(page, 0);
  });

  test("what is pressed before the text is answered continues that text", async () => {
    const page = await openDecode(visit);
    const { reply, send } = later();
    const written = () => page.asked.filter(({ path }) => path.endsWith("/continuations"));
    page.route(/\/api\/v1\/(attention|traces)$/, () => reply);
    const before = written().length;
    await page.fill(page.sentence, `${TEXT} Churchill met`);
    await write(page);
    assert.equal(written().length, before);
    send();
    await page.until(() => assert.equal(written().length, before + 1));
    await page.until(() =>
      assert.match(page.sentence.value, /^Winston Churchill met Harry Truman. Winston Churchill met Harry/),
    );
    page.unroute();
  });

  full("a drawn text is that of its seed", async () => {
    const page = await openDecode(visit);
    assert.ok(field(page, "Seed").disabled);
    for (const [name, value] of Object.entries({ Temperature: 1.5, Tokens: 4, Seed: 7, "Among the likeliest": 50 }))
      await page.fill(field(page, name), String(value));
    const reply = await continued(page, { tokens: 4, temperature: 1.5, seed: 7, top_k: 50 });
    field(page, "Seed").focus();
    await page.user.keyboard("{Enter}");
    await wrote(page, 4);
    const shown = textsOf(page.all(".piece", writing(page)));
    reply.pieces.forEach((piece, at) => assert.ok(shown[at].endsWith(piece.trim()), `${shown[at]}: ${piece}`));
  });

  test("a refusal stands at its field, and the text is kept", async () => {
    const page = await openDecode(visit);
    const invalid = (name) => field(page, name).getAttribute("aria-invalid");
    await page.fill(field(page, "Tokens"), "500");
    await write(page);
    await page.until(() => assert.equal(invalid("Tokens"), "true"));
    const alerts = page.in(writing(page)).getAllByRole("alert");
    assert.ok(alerts.some((each) => each.textContent.includes("500")));
    await page.fill(field(page, "Tokens"), "2");
    await page.fill(field(page, "Temperature"), "-1");
    await write(page);
    await page.until(() => assert.equal(invalid("Temperature"), "true"));
    assert.notEqual(invalid("Tokens"), "true");
    assert.equal(page.sentence.value, TEXT);
  });

  test("more tokens than fit stay as they were typed", async () => {
    const page = await openDecode(visit);
    await page.fill(field(page, "Tokens"), "500");
    await page.ask(() => page.fill(page.sentence, `${TEXT} again`));
    await page.until(() => assert.equal(page.document.body.dataset.status, "ready"));
    assert.equal(field(page, "Tokens").value, "500");
  });

  full("back after two continuations returns to the first one", async (t) => {
    const page = await openDecode(ownPage(t));
    await page.until(() => assert.ok(page.one("#panel-decode .rows-of canvas")));
    const chips = () => page.all("#tokens .chip").length;
    let before, tokens;
    for (const _ of [1, 2]) {
      [before, tokens] = [page.sentence.value, chips()];
      await write(page);
      await page.until(() => assert.notEqual(page.sentence.value, before));
      await wrote(page, 12);
      await page.until(() => assert.equal(page.document.body.dataset.status, "ready"));
    }
    page.back();
    await page.until(() => assert.equal(page.sentence.value, before));
    await page.until(() => assert.equal(chips(), tokens));
  });

  test("a full context is not continued", async (t) => {
    const page = await openDecode(ownPage(t));
    const room = page.in(writing(page)).getByText(/^Room for \d+ more\.$/);
    await page.fill(field(page, "Tokens"), room.textContent.match(/\d+/)[0]);
    await write(page);
    await page.in(writing(page)).findByText(/The text fills the 128 tokens/);
    assert.ok(button(page).disabled);
  });

  test("a model that predicts nothing continues no text", async () => {
    const page = await visit("/?tab=decode");
    await page.until(() => assert.ok(page.one("#panel-decode .rows-of canvas")));
    assert.ok(!writing(page).checkVisibility());
  });
});
