/** A text too long for whole maps: the tabs, tools and files that need them say so in words of a reader. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";
import { OF_THE_API, TooLong, WORDS, openTooLong, withText } from "./support/too-long.js";

const SMALL = "/?source=seeded&num_heads=1&d_model=8";
const SHORTER = "This needs a shorter text.";

/** What a control is described by: another element, or its title. */
const descriptionOf = (page, control) =>
  page.one(`#${control.getAttribute("aria-describedby")}`)?.textContent ?? control.title;

/** Saves the vector picture until the tokens along its sides, which come with the dialog, have their words. */
async function namesTokens(page, dialog) {
  /** @type {Blob[]} */
  const saved = [];
  page.window.Blob = Blob;
  Object.assign(page.window.URL, { createObjectURL: (blob) => saved.push(blob), revokeObjectURL: () => undefined });
  page.window.HTMLAnchorElement.prototype.click = () => undefined;
  const button = page.button("SVG", dialog);
  await page.until(async () => {
    button.click();
    const svg = await saved.at(-1).text();
    const names = [...svg.matchAll(/text-anchor="end">([^<]+)</g)].map(([, name]) => name);
    assert.ok(names.length > 20);
    assert.deepEqual(
      names.filter((name) => !/^w\d+[₀-₉]+$/.test(name)),
      [],
    );
  });
}

describe("a text of 4,500 words", () => {
  const visit = onePage(() => new TooLong(), withText(SMALL, WORDS));

  /** The page, once its tabs are shut. */
  async function openLong() {
    const page = await visit();
    await page.hasTokens("4,500");
    await page.until(() => assert.ok(page.one("#tab-gradients").matches("[data-shut]")));
    return page;
  }

  test("a tab that a text is too long for says so, and leads to the map or to the costs", async () => {
    const page = await openLong();
    for (const name of ["Gradients", "Parameters", "Decode", "Laboratory"]) {
      const tab = page.tab(name);
      assert.equal(descriptionOf(page, tab), "For a shorter text: this one has 4,500 tokens.");
      await page.click(tab);
      await page.says(`This text is too long for ${name}`);
      assert.match(page.card.textContent, /It works up to about 2,400 tokens with this model\./);
      assert.doesNotMatch(page.card.textContent, OF_THE_API);
      await page.press("Open the Map");
      await page.addressHas("tab=map");
      await page.saysNothing();
    }
    assert.ok(!page.tab("Worth").matches("[data-shut]")); // a model that predicts nothing says so at any length
    await page.click(page.tab("Worth"));
    await page.until(() => assert.match(page.one("#panel-worth").textContent, /says nothing of what comes next/));
    await page.saysNothing();
    await page.click(page.tab("Laboratory"));
    await page.says("too long");
    await page.press("Costs");
    const panel = page.one("#panel-lab");
    await page.until(() => assert.match(panel.textContent, /Self-attention to 64 tokens/));
    await page.saysNothing();
    const other = page.button("Precision", panel);
    assert.ok(other.matches(":disabled, [aria-disabled=true]"));
    assert.equal(descriptionOf(page, other), SHORTER);
    assert.deepEqual(page.refusals, []);
  });

  full("the text is shortened to what works, and comes back", async () => {
    const page = await openLong();
    await page.click(page.tab("Parameters"));
    await page.says("too long");
    await page.press("Use the first 2,400 tokens");
    await page.hasTokens("2,400");
    await page.saysNothing();
    assert.equal(page.sentence.value, WORDS.slice(0, 2400).join(" "));
    await page.click(page.button(/^Undo/, page.one("#change")));
    await page.says("too long");
    assert.equal(page.sentence.value, WORDS.join(" "));
  });

  test("tools and files that need whole maps are disabled, and the others work", async () => {
    const page = await openLong();
    for (const name of ["Change", "Compare with …"]) {
      const button = page.in().getByText(name, { selector: "button" });
      assert.ok(button.disabled, name);
      assert.equal(descriptionOf(page, button), SHORTER);
    }
    await page.click(page.one("#share > .button"));
    const dialog = await page.see("dialog[open]");
    assert.match(dialog.textContent, /hold whole maps, which a text of this length does not have/);
    const isOpen = (name) => !page.button(name, dialog).matches(":disabled, [aria-disabled=true]");
    const whole = ["CSV", "JSON", ".npz", ".safetensors", "HTML", "numpy", "Copy as curl"];
    assert.deepEqual(whole.filter(isOpen), []);
    const others = ["SVG", "PNG", "Copy: short"];
    await page.until(() => assert.deepEqual(others.filter(isOpen), others));
    await namesTokens(page, dialog);
  });
});

test("an address that opens such a tab has pictures and the reason, in Chinese too", async (t) => {
  const page = await openTooLong(t, `${SMALL}&tab=decode&lang=zh`, WORDS);
  await page.says("文本太长，不能看“解码”");
  assert.ok(page.button("只用前 2,400 个词元", page.card));
});
