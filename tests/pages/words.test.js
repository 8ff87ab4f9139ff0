/** Weights between words in place of pieces: one switch for the sentence, the maps, the lines and what is taken away. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { full } from "./support/full.js";
import { alike, cellColors, pictureOf, written } from "./support/cells.js";
import { later } from "./support/clock.js";
import { openExplore } from "./support/explore.js";
import { commandOf, figure, openShare, textsOf } from "./support/share.js";

const TIRED = "/?source=installed&name=echo&text=The%20squirrel%20was%20too%20tired&layer=0&head=3";
const WORDS = ["The", "squirrel", "was", "too", "tired"];

const shown = (page) => page.all("#looks .sentence-tokens li > span").map((each) => each.textContent);

/** The colours of the weights between words, as the server tells them; below the diagonal all are open. */
async function colors(page, query = "") {
  const { values } = await page.fromTrace(`stages/weights?layer=0&head=3&tokens=words${query}`);
  const cells = values.map((line, row) => line.map((value, col) => (col > row ? null : value)));
  return { values, colors: cellColors(cells, null, page.pageData().colors.light) };
}

test("a switch merges pieces into words everywhere, is in the address, and goes back", async (context) => {
  const page = await openExplore(context, TIRED);
  const group = page.in(page.one("#looks .word-switch"));
  const pieces = shown(page).length;
  assert.ok(pieces > WORDS.length);
  await page.click(group.getByRole("button", { name: "Words" }));
  await page.addressHas("tokens=words");
  await page.until(() => assert.deepEqual(shown(page), WORDS));
  const sum = await colors(page);
  await page.until(() => assert.ok(alike(pictureOf(page.canvas("weights")), sum.colors)));
  const sides = page.one(".shape", page.card("scores")).textContent;
  assert.ok(sides.includes(`n ${pieces}`), sides); // what is computed of pieces keeps them

  await page.pick("weights", [4, 1], [5, 5]);
  const output = () => page.one("#inspector .value output").textContent;
  await page.until(() => assert.equal(output(), written(sum.values[4][1])));
  assert.ok(page.one("#inspector .place").textContent.includes("tired → squirrel"));
  const lit = (selector) => page.all(selector).length;
  await page.until(() => assert.deepEqual([lit("#tokens .chip.axis-key"), lit("#tokens .chip.axis-query")], [3, 1]));
  const rows = page.all(".overlay .lit:not([hidden])", page.card("k"));
  assert.equal(rows.length, 3); // of squ, ir and rel
  await page.choose(group.getByLabelText("pieces of a key"), "max");
  await page.addressHas("keys=max");
  const most = await colors(page, "&keys=max");
  await page.until(() => assert.equal(output(), written(most.values[4][1])));
  await page.until(() => assert.ok(alike(pictureOf(page.canvas("weights")), most.colors)));

  await openShare(page);
  assert.ok(textsOf(figure(page)).includes("squirrel"));
  assert.deepEqual((await commandOf(page)).reply.values, most.values);
  await page.click(page.one("#takeaway .close"));
  await page.click(page.one("#tab-lines"));
  await page.until(() => assert.equal(page.all("#panel-lines ol.query li, #panel-lines [role=listbox] li").length, 10));

  await page.click(group.getByRole("button", { name: "Pieces" }));
  await page.addressLacks("tokens=");
  await page.until(() => assert.equal(shown(page).length, pieces));
});

test("an address opens words; where every token is a word there is no switch", async (context) => {
  const page = await openExplore(context, `${TIRED}&tokens=words`);
  await page.until(() => assert.deepEqual(shown(page), WORDS));
  await page.until(() => assert.ok(page.asked.some(({ path }) => /\/heads\?.*tokens=words/.test(path))));
  await page.walk("/?source=seeded&text=a%20b&tokens=words");
  assert.equal(page.one("#looks .word-switch").checkVisibility(), false);
  assert.deepEqual(shown(page), ["a", "b"]);
});

full("what counts pieces says so", async (context) => {
  const page = await openExplore(context, `${TIRED}&tokens=words&tab=gradients`);
  const said = (text) => page.until(() => assert.match(page.one("#looks .word-ways").textContent, text));
  await said(/This tab counts pieces/);
  await page.walk(`${TIRED}&tokens=words&step=scores.0`);
  await said(/Step by step goes through every piece/);
  await page.until(() => assert.equal(shown(page).length, page.all("#tokens .chip").length));
  await page.walk(`${TIRED}&tokens=words`);
  await said(/The weights are between words/);
});

full("pieces of a word stand together, and bytes are the character they are parts of", async (context) => {
  const page = await openExplore(context, "/?source=installed&name=echo&text=caf%C3%A9%20squirrel%2C");
  const items = page.all("#looks .sentence-tokens li");
  const [first, second] = items.filter((item) => item.firstChild.textContent === "é" || item.title.startsWith("é"));
  assert.equal(first.firstChild.textContent, "é");
  assert.equal(second.firstChild.textContent, ""); // its second byte
  assert.ok(second.matches(".part"));
  assert.deepEqual(
    items.filter((item) => item.matches(".part")).map((item) => item.title.split(",")[0]),
    page
      .all("#tokens .chip.part")
      .map((chip) => page.all("#looks .sentence-tokens li")[chip.dataset.at].title.split(",")[0]),
  );
  assert.ok(page.all("#tokens .chip").some((chip) => chip.textContent.startsWith("é")));
  for (const place of ["#looks .sentence-tokens", "#tokens"]) assert.ok(!page.one(place).textContent.includes("<C3>"));
});

test("a sign is called by its name in a sentence", async (context) => {
  const page = await openExplore(context, "/?source=installed&name=echo&text=The%20old%20man%2C&cell=weights.3.0");
  await page.until(() => assert.match(page.one("#looks .seen-line").textContent, /a comma looks at/));
});

test("Hebrew stands from right to left, and the keys follow it", async (context) => {
  const page = await openExplore(context, "/?source=seeded&text=%D7%A9%D7%9C%D7%95%D7%9D%20(big)%20world");
  const list = page.one("#looks .sentence-tokens");
  await page.until(() => assert.equal(list.dir, "rtl"));
  assert.deepEqual(
    page.all("#looks .sentence-tokens li").map((item) => item.dir),
    ["rtl", "rtl", "ltr", "rtl", "ltr"],
  );
  assert.deepEqual(
    page.all("#looks .sentence-tokens li").map((item) => item.firstChild.dir),
    ["auto", "", "auto", "", "auto"],
    "brackets are mirrored by the direction of their items",
  );
  assert.equal(page.one("#tokens .chips").dir, "rtl");
  page.one('#looks [data-at="0"]').focus();
  await page.user.keyboard("{ArrowLeft}");
  assert.equal(page.document.activeElement.dataset.at, "1");
});

test("the reading order of a text that was left while its script loaded is not that of the next", async (context) => {
  const page = await openExplore(context, null);
  const { reply, send } = later();
  page.route(/core\/token-order\.js$/, () => reply);
  await page.goto("/?source=seeded&text=%D7%A9%D7%9C%D7%95%D7%9D%20big%20world");
  const list = page.one("#looks .sentence-tokens");
  const words = () => [...list.children].map((item) => item.firstChild.textContent);
  await page.until(() => assert.deepEqual(words(), ["שלום", "big", "world"]));
  await page.fill(page.sentence, "one two three");
  await page.until(() => assert.deepEqual(words(), ["one", "two", "three"]));
  send();
  await page.arrived();
  assert.equal(list.dir, "");
  assert.deepEqual(
    [...list.children].map((item) => item.dir + item.style.translate),
    ["", "", ""],
  );
});

test("lines across run from right to left too", async (context) => {
  const page = await openExplore(context, null);
  await page.goto("/?source=seeded&text=%D7%A9%D7%9C%D7%95%D7%9D%20big%20mat&tab=lines&layout=horizontal");
  const [queries] = await page.until(() => {
    const found = page.all("#panel-lines .web [role=listbox]");
    assert.equal(found.length, 2);
    assert.deepEqual([...new Set(found.map(({ dir }) => dir))], ["rtl"]);
    return found;
  });
  assert.deepEqual(
    [...queries.children].map(({ style }) => style.order),
    ["0", "2", "1"],
  );
  assert.deepEqual(
    [...queries.children].map(({ dir }) => dir),
    ["rtl", "ltr", "ltr"],
    "brackets are mirrored with what they stand in",
  );
});

test("Hebrew that a model reads as bytes stands so too, and its surprises with it", async (context) => {
  const page = await openExplore(context, "/?source=installed&name=echo&text=%D7%A9%D7%9D%20big");
  await page.see("#predictions [role=option]");
  const rows = ["#looks .sentence-tokens", "#tokens .chips", "#predictions [role=listbox]"];
  await page.until(() => assert.deepEqual([...new Set(rows.map((row) => page.one(row).dir))], ["rtl"]));
  const strip = page.all("#predictions [role=option]");
  const [first, second] = strip.filter((item) => item.ariaLabel.startsWith("ש"));
  assert.deepEqual([first.textContent, second.textContent, second.matches(".part")], ["שם", "", true]);
  strip[0].focus();
  await page.user.keyboard("{ArrowLeft}");
  await page.until(() => assert.equal(page.document.activeElement.dataset.at, "1"));
});
