/** The sentence as the first picture: arcs and words follow the weights; hands and keys reach it. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { stageCells } from "./support/cells.js";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";

const SHORT = "/?text=a%20b%20c%20d";
const INDUCTION = "/?source=crafted&name=induction&layer=1&text=the%20cat%20sat%20and%20the";
const LONG = `/?text=${Array.from({ length: 200 }, (_, at) => `w${at}`).join("%20")}`;

const token = (page, at, axis = "query") => page.one(`#looks .sentence-tokens.axis-${axis} [data-at="${at}"]`);
const line = (page) => page.one("#looks .seen-line").textContent;
const arcs = (page) => page.all("#looks .own path").map((each) => Number(each.getAttribute("stroke-width")));
const shown = (page) => page.all("#looks .sentence-tokens li").filter((each) => each.checkVisibility());
const says = (page, words) =>
  page.until(() =>
    assert.ok(words instanceof RegExp ? words.test(line(page)) : line(page).includes(words), line(page)),
  );

async function weightsOf(page) {
  return stageCells(await page.answer(), "weights", { layer: 0, head: 0, batch: 0 });
}

describe("sentence", () => {
  const visit = onePage();

  test("nothing is said of random weights of an earlier model, and a picked token that is gone is let go", async () => {
    const page = await visit("/?source=seeded&text=a%20b&picked=key.1");
    await says(page, "These weights are random");
    await page.fill(page.sentence, "a"); // has no token 1
    await page.choose(await page.field("Model"), "crafted");
    await says(page, /^Layer 0, head 0: a can look at itself alone, 1\.00\.$/);
    await page.addressLacks("picked");
  });

  full("the strongest look is shown and written with its number", async () => {
    const page = await visit(INDUCTION);
    await says(page, /^Layer 1, head 0: the₄ looks at cat, which followed the before, 1\.00\.$/);
    assert.ok(token(page, 4).matches(".seen"));
    assert.ok(token(page, 1).textContent.includes("1.00"));
    assert.equal(arcs(page).length, 1);
  });

  test("arcs are as thick as the weights of the token under the pointer", async () => {
    const page = await visit(SHORT);
    const thick = (await weightsOf(page))[3].toSorted((a, b) => a - b);
    await page.user.hover(token(page, 3));
    await page.until(() => assert.equal(arcs(page).length, 4));
    const widths = arcs(page);
    for (const [at, width] of widths.entries())
      assert.ok(Math.abs(width / widths.at(-1) - thick[at] / thick.at(-1)) < 0.02);
    const readout = page.one(".readout", page.card("weights"));
    await page.until(() => assert.ok(readout.textContent.includes(thick.at(-1).toFixed(3))));
    await says(page, thick.at(-1).toFixed(2));
  });

  test("a pressed token is pinned with its strongest weight, and let go with a second press", async () => {
    const page = await visit(SHORT);
    const row = (await weightsOf(page))[2].slice(0, 3);
    const most = Math.max(...row);
    await page.click(token(page, 2));
    await page.addressHas(`cell=weights.2.${row.indexOf(most)}`);
    assert.equal(token(page, 2).getAttribute("aria-selected"), "true");
    await page.until(() => assert.equal(page.one("#inspector .value output").textContent, most.toFixed(3)));
    await page.click(token(page, 2));
    await page.addressLacks("cell=");
  });

  test("the tokens are walked with arrows and said aloud", async () => {
    const page = await visit(SHORT);
    const walk = async (key, at) => {
      await page.user.keyboard(`{${key}}`);
      await page.until(() => assert.equal(page.document.activeElement, token(page, at)));
    };
    token(page, 0).focus();
    await walk("End", 3);
    await walk("ArrowLeft", 2);
    await says(
      page,
      "These weights are random: they say nothing about the words. Layer 0, head 0: the largest weight in the row of c is ",
    );
    assert.equal(page.one("#looks .seen-line").getAttribute("role"), "status");
    for (const [key, selected] of [
      ["Enter", "true"],
      ["Escape", "false"],
    ]) // prettier-ignore
    {
      await page.user.keyboard(`{${key}}`);
      await page.until(() => assert.equal(token(page, 2).getAttribute("aria-selected"), selected));
    }
    page.in(page.one("#looks")).getByRole("option", { name: /^b 0\.\d\d, token 1$/ });
  });

  test("a chip selects its head everywhere and has its name", async () => {
    const page = await visit(INDUCTION);
    const chips = await page.until(() => {
      const found = page.all("#looks .head-chip");
      assert.equal(found[0]?.textContent, "L0 H0previous 1.00");
      return found;
    });
    assert.match(chips[0].title, /mean weight on the token just before/);
    assert.equal(chips[1].getAttribute("aria-pressed"), "true");
    await page.click(chips[0]);
    await page.addressLacks("layer=");
    await page.until(() => assert.equal(page.canvas("weights").dataset.layer, "0"));
    await says(page, "the token before it");
    await page.user.keyboard("{ArrowRight}");
    await page.until(() => assert.equal(page.canvas("weights").dataset.layer, "1"));
    assert.equal(page.document.activeElement, chips[1]);
  });

  full("of many heads the chips are a grid, and of random weights it opens on the first", async () => {
    const page = await visit(`${SHORT}&num_layers=4&num_heads=12&d_model=24`);
    const chips = await page.until(() => {
      const found = page.all("#looks .head-chips.many .head-chip");
      assert.equal(found.length, 48);
      assert.match(found[47].style.getPropertyValue("--strength"), /^\d+%$/);
      return found;
    });
    assert.match(chips[29].textContent, /^L2 H5/);
    assert.match(chips[29].title, /^layer 2, head 5\. /);
    assert.equal(chips[0].getAttribute("aria-pressed"), "true");
    await page.click(chips[29]);
    await page.addressHas("layer=2&head=5");
    assert.equal(chips[29].getAttribute("aria-pressed"), "true");
  });

  full("with a context queries look at keys", async () => {
    const page = await visit("/?text=die%20Katze&context=the%20cat%20sat");
    assert.match(token(page, 2, "key").textContent, /^sat/);
    await page.user.hover(token(page, 1));
    await page.until(() => assert.equal(arcs(page).length, 3));
    await page.user.hover(token(page, 0, "key"));
    await says(page, /the largest weight in the column of the is 0\.\d\d\.$/);
  });

  full("of a batch the chosen sentence is written without padding", async () => {
    const page = await visit("/?text=a%20b%0Ac%20d%20e");
    assert.equal(shown(page).length, 2);
    await page.choose(page.in().getByRole("combobox", { name: "Sentence of the batch" }), "1");
    await page.until(() => assert.equal(shown(page).length, 3));
  });

  test("a long text is written around the token that is seen", async (t) => {
    const page = await openExplore(t, `${LONG}&cell=weights.150.3`);
    assert.equal(shown(page).length, 64);
    assert.ok(page.one("#looks").textContent.includes("of 200"));
    token(page, 150).focus();
    await page.user.keyboard("{End}");
    await page.until(() => assert.equal(page.document.activeElement, token(page, 199)));
  });

  test("a pointer over a card leaves the tokens of a short text as they are", async () => {
    const page = await visit(SHORT);
    const before = shown(page);
    await page.hover("weights", [3, 0], [4, 4]);
    await page.until(() => assert.ok(token(page, 3).matches(".seen")));
    assert.ok(shown(page).every((each, at) => each === before[at]));
  });

  full("one token and a dropped head are written as what they are, in each language", async (t) => {
    const page = await openExplore(t, null);
    for (const lang of ["en", "zh"]) {
      await page.open(`/?text=hi&drop=0.0&lang=${lang}`);
      await says(page, page.pageData().messages["sentence.gone"]);
      assert.ok(line(page).includes("1.00"));
    }
  });
});
