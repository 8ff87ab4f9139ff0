/** What the model says under the tokens: its surprise at each, and what it expects after one. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";
import { textOf } from "./support/texts.js";

const ECHO = `/?text=${encodeURIComponent("Winston Churchill met Harry Truman. Winston")}&source=installed&name=echo`;

const said = (page) => page.one("#predictions");
const options = (page) => page.all("[role=option]", said(page));
const percent = (part) => (100 * part).toFixed(100 * part >= 9.95 ? 0 : 1);
const isSelected = (page, at) => page.until(() => assert.equal(options(page)[at].ariaSelected, "true"));

async function openEcho(visit) {
  const page = await visit(ECHO);
  await page.see("#predictions .likely li");
  return page;
}

describe("predictions", () => {
  const visit = onePage();

  full("the next token and every surprise are shown after the first picture", async () => {
    const page = await openEcho(visit);
    const paths = page.asked.map(({ path }) => path);
    const first = paths.findIndex((path) => path.endsWith("/attention"));
    assert.ok(first >= 0 && first < paths.findIndex((path) => path.includes("/predictions")));
    const { top, surprises } = await page.fromTrace("predictions", { top: 6 });
    const items = page.all(".likely li", said(page));
    assert.ok(items.length >= 6);
    for (const [at, { piece, probability }] of top.entries()) {
      assert.ok(textOf(items[at]).includes(piece.trim()));
      assert.ok(textOf(page.one(".number", items[at])).includes(percent(probability)));
    }
    const strip = options(page);
    assert.equal(strip.length, surprises.length);
    assert.match(strip[0].ariaLabel, /nothing was expected/);
    assert.ok(strip.at(-1).ariaLabel.includes(`${surprises.at(-1).toFixed(2)} nats`));
    assert.equal(strip.at(-1).ariaSelected, "true");
  });

  test("a byte that is part of a character is named", async () => {
    const page = await visit(`/?text=${encodeURIComponent("我爱北京")}&source=installed&name=echo`);
    const [first] = await page.until(() => {
      const items = page.all(".likely li", said(page));
      assert.ok(items.length);
      return items;
    });
    const { top } = await page.fromTrace("predictions", { top: 1 });
    const [, hex] = /^<(..)>$/.exec(top[0].piece);
    assert.ok(first.textContent.startsWith(`byte ${hex}`), first.textContent);
  });

  test("another position is chosen by a press, by an arrow and by a pressed weight", async () => {
    const page = await openEcho(visit);
    await page.click(options(page)[3]);
    await page.addressHas("after=3");
    await page.user.keyboard("{ArrowLeft}");
    await page.addressHas("after=2");
    assert.equal(page.document.activeElement, options(page)[2]);
    assert.notEqual(textOf(page.one(".reading", said(page))), "");
    const { position } = await page.fromTrace("predictions", { position: 2 });
    assert.equal(position, 2);
    const { tokens } = await page.answer();
    const came = await page.until(() => {
      const found = page.one(".came", said(page));
      assert.ok(textOf(page.one(".piece", found)).includes(tokens[0][3].trim()));
      return found;
    });
    assert.ok(textOf(came).includes("came"));
    await page.pick("weights", [5, 2], [tokens[0].length, tokens[0].length]);
    await page.addressLacks("after=");
    await isSelected(page, 5);
  });

  test("a dropped head shows what was expected before", async () => {
    const page = await openEcho(visit);
    const { top } = await page.fromTrace("predictions", { top: 1 });
    await page.click(page.in().getByRole("button", { name: /^Drop head/ }));
    await page.until(() => assert.ok(textOf(said(page)).includes("before and now")));
    const [{ piece, probability }] = top;
    const item = page.all(".likely li", said(page)).find((each) => textOf(each).includes(piece.trim()));
    assert.ok(page.one("s", item).textContent.includes(percent(probability)));
  });

  full("a model that predicts nothing has no predictions, and one that is chosen instead has its own", async () => {
    const page = await visit("/?source=seeded&cell=weights.5.3");
    assert.ok(!said(page).checkVisibility());
    assert.ok(!page.asked.some(({ path }) => path.includes("/predictions")));
    await page.choose(await page.field("Model"), "installed:echo");
    await page.see("#predictions .likely li");
    assert.deepEqual(page.refusals, []);
  });
});
