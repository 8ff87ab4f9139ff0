/** A second text, of which keys and values are made: chosen, typed, restored. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ADDRESS, BODY, KEYS, QUERIES, contextBox, contextChips, texts } from "./support/context.js";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";

const STAGES = ["x", "q", "k", "v", "scores", "masked_scores", "weights", "head_outputs", "output"];

/** Chooses a text as the context, of which nothing is typed yet. */
async function chooseText(page) {
  await page.drawer();
  const select = await page.in(page.one("#options")).findByRole("combobox", { name: "Context" });
  const { value } = page.in(select).getByRole("option", { name: "a text" });
  select.focus();
  await page.choose(select, value);
  await page.until(() => contextBox(page));
}

describe("context", () => {
  const visit = onePage();

  test("a context is chosen, typed and let go of", async () => {
    const page = await visit();
    const { text } = page.question();
    assert.equal(page.in().queryByRole("textbox", { name: "Context" }), null);
    assert.ok(!page.card("context").checkVisibility());
    await chooseText(page);
    await page.until(() => assert.equal(page.document.activeElement, contextBox(page)));
    assert.match(contextBox(page).placeholder, /attends to itself/);
    await page.shows({ text });
    assert.ok(!(await page.field("Mask")).disabled);
    const body = await page.ask(() => page.fill(contextBox(page), "some other words"));
    assert.equal(body.context, "some other words");
    assert.ok(!("causal" in body));
    const { shape } = await page.shows({ text, context: body.context }, STAGES);
    assert.deepEqual([shape.n, shape.m], [12, 3]);
    assert.deepEqual(texts(contextChips(page)), ["some0", "other1", "words2"]);
    assert.ok(page.one(".shape", page.card("weights")).textContent.includes("m 3"));
    const box = contextBox(page);
    await page.click(page.button(/^Let go of the context/));
    await page.shows({ text });
    assert.ok(!box.checkVisibility());
    assert.ok(!page.card("context").checkVisibility());
    await page.addressLacks("context");
  });

  full("every picture has rows and columns of its own, and masks of one text are off", async () => {
    const page = await visit(ADDRESS);
    await page.shows(BODY, STAGES);
    const { layers } = await page.shows({ ...BODY, stages: ["context"] }, ["context"]);
    assert.ok(Math.max(...layers[0].context.flat(2).map(Math.abs)) > 1);
    const labels = (stage, axis) => texts(page.all(`.labels .${axis}`, page.card(stage)));
    assert.deepEqual(labels("weights", "row"), QUERIES);
    assert.deepEqual(labels("weights", "col"), KEYS);
    assert.deepEqual(labels("k", "row"), KEYS);
    for (const [stage, letter] of [
      ["k", "Z"],
      ["v", "Z"],
      ["q", "X"],
    ])
      // prettier-ignore
      assert.ok(page.one("math", page.card(stage)).textContent.includes(letter));
    const mask = await page.field("Mask");
    assert.ok(mask.disabled);
    assert.equal(mask.selectedOptions[0].textContent, "none");
    await page.more();
    for (const name of ["window", "prefix"])
      await page.until(() => assert.ok(page.one(`[data-field="${name}"] input`).disabled));
  });

  full("the address holds the context, and back walks through it", async () => {
    const page = await visit(ADDRESS);
    const { text } = await page.ask(() => page.fill(contextBox(page), "a dog"));
    await page.shows({ text, context: "a dog" });
    page.back();
    await page.shows(BODY);
    await page.until(() => assert.equal(contextBox(page).value, BODY.context));
    page.forward();
    await page.addressHas("context=a%20dog");
    await page.reload();
    await page.see("[data-stage=weights] canvas[data-layer]");
    await page.shows({ text, context: "a dog" });
    assert.equal(contextBox(page).value, "a dog");
  });

  full("as many contexts as sentences are wanted", async () => {
    const page = await visit(ADDRESS);
    const error = () => page.one(".context .error").textContent;
    await page.fill(contextBox(page), "one\ntwo");
    await page.until(() => assert.ok(error().includes("each text a context of its own")));
    assert.equal(contextBox(page).getAttribute("aria-invalid"), "");
    await page.ask(() => page.fill(page.sentence, "uno\ndos tres"));
    await page.shows({ text: ["uno", "dos tres"], context: ["one", "two"] }, STAGES);
    assert.equal(error(), "");
  });

  full("the translation example opens from the menu and agrees with its published figures", async () => {
    const page = await visit();
    await page.click(page.in().getByText("Examples"));
    const entry = await page.in().findByRole("button", { name: /^Translation: shapes of cross-attention/ });
    const { stages, ...body } = await page.ask(() => page.click(entry));
    assert.deepEqual(body.context_tokens, KEYS);
    const { shape } = await page.shows(body, ["k", "scores"]);
    const { n, m, d_model, num_heads, d_k } = shape;
    assert.deepEqual([n, m, d_model, num_heads, d_k], [2, 6, 512, 8, 64]);
    await page.until(() => {
      const items = page.in(page.inspector).getAllByRole("listitem");
      const figures = texts(items).filter((text) => text.includes("published"));
      assert.equal(figures.length, 5);
      assert.ok(figures.every((text) => text.includes("agrees")));
    });
    await page.reload();
    await page.see("[data-stage=weights] canvas[data-layer]");
    await page.shows(body);
    assert.match(contextBox(page).placeholder, /tokens/i);
  });

  test("the box of a given context speaks of the context", async () => {
    const given = { tokens: ["a", "b"], context_tokens: ["c", "d", "e"] };
    const page = await visit(`/#${encodeURIComponent(JSON.stringify(given))}`);
    assert.match(contextBox(page).placeholder, /The tokens are given\. Type a text/);
    assert.match(page.sentence.placeholder, /Type a sentence/);
  });
});
