/** The tokens of a long text: a part of them is shown, led on with buttons and keys, searched and replaced. */

import assert from "node:assert/strict";
import test from "node:test";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";

const PLAIN = "/?source=seeded&num_heads=1&d_model=8";
const WORDS = Array.from({ length: 1000 }, (_, at) => `w${at % 97}`);
const SOME = `${PLAIN}&text=${WORDS.join("%20")}`;
const LONG = Array.from({ length: 12_000 }, (_, at) => `w${at % 997}`); // more than one reply has the tokens of

const chips = (page) => page.all("#tokens .chip");
const strip = (page) => page.one("#tokens .chips");
const selected = (page) => chips(page).filter((chip) => chip.getAttribute("aria-selected") === "true");
const search = (page) => page.one("#tokens input[type=search]");
const tokenRequests = (page) => page.asked.filter(({ path }) => path.includes("/tokens?"));

/** Waits until the bar of the tokens says so. @param {string} text */
const shown = (page, text) => page.until(() => assert.equal(page.one("#tokens .count").textContent, text));

/** Waits until the cursor is on a chip: its word and its place. @param {string} chip */
const isAt = (page, chip) => page.until(() => assert.equal(page.one("#tokens .cursor")?.textContent, chip));

/** Waits until one chip is selected. @param {string} chip */
const isSelected = (page, chip) =>
  page.until(() =>
    assert.deepEqual(
      selected(page).map((each) => each.textContent),
      [chip],
    ),
  );

/** Looks for the next token, or with Shift for the one before. @param {string} text */
async function find(page, text, keys = "{Enter}") {
  if (search(page).value !== text) await page.fill(search(page), text);
  search(page).focus();
  await page.user.keyboard(keys);
}

/** The body of the question after the token under the cursor is replaced. @param {string} word */
async function replaced(page, name, word) {
  await page.user.dblClick(page.one("#tokens .cursor"));
  const field = await page.in(page.one("#tokens")).findByRole("textbox", { name });
  const isQuestion = ({ path, body }) => path === "/api/v1/traces" && body.text.includes(word);
  const replace = async () => {
    await page.fill(field, word);
    await page.user.keyboard("{Enter}");
  };
  return (await page.request(replace, isQuestion)).body;
}

/** The page with a thousand tokens, of which two hundred are shown. */
async function openSome(t) {
  const page = await openExplore(t, SOME);
  await shown(page, "0 to 199 of 1,000 tokens");
  return page;
}

test("a part of the tokens is shown and led on", async (t) => {
  const page = await openSome(t);
  assert.equal(chips(page).length, 200);
  const tokens = page.one("#tokens");
  assert.equal(page.button("The 200 tokens before", tokens).getAttribute("aria-disabled"), "true");
  await page.click(page.button("The next 200 tokens", tokens));
  await shown(page, "200 to 399 of 1,000 tokens");
  const [first] = chips(page);
  assert.equal(first.textContent, "w6200");
  assert.deepEqual([first.getAttribute("aria-posinset"), first.getAttribute("aria-setsize")], ["201", "1000"]);
});

test("keys walk through the whole text", async (t) => {
  const page = await openSome(t);
  strip(page).focus();
  await page.user.keyboard("{End}");
  await isAt(page, "w29999");
  await shown(page, "800 to 999 of 1,000 tokens");
  await page.user.keyboard("{PageUp}{PageUp}");
  await isAt(page, "w23799");
  await page.user.keyboard("{ArrowRight}{Enter}");
  await page.addressHas("picked=query.800");
  await isSelected(page, "w24800");
  assert.equal(strip(page).getAttribute("aria-activedescendant"), "token-800");
});

test("a token is found by its text and by its number, and replaced", async (t) => {
  const page = await openSome(t);
  await find(page, "w96");
  await isAt(page, "w9696");
  await find(page, "w96");
  await isAt(page, "w96193");
  await find(page, "w96", "{Shift>}{Enter}{/Shift}");
  await isAt(page, "w9696");
  await find(page, "bird");
  await page.until(() => assert.ok(page.in(page.one("#tokens")).getByText("No token has “bird” in it.")));
  await find(page, "777");
  await isAt(page, "w1777");
  await find(page, "500");
  await isAt(page, "w15500");
  const body = await replaced(page, /w15/, "bird");
  assert.deepEqual(body.text.split(" "), WORDS.with(500, "bird"));
});

full("the part around the token that is selected is shown", async (t) => {
  const page = await openExplore(t, `${SOME}&picked=query.640`);
  await shown(page, "540 to 739 of 1,000 tokens");
  await isSelected(page, "w58640");
});

full("tokens of a text too long for its reply come as they are looked at, and can be replaced", async (t) => {
  const page = await openExplore(t, null);
  await page.goto(`${PLAIN}#${encodeURIComponent(JSON.stringify({ text: LONG.join(" ") }))}`);
  await shown(page, "0 to 199 of 12,000 tokens");
  await page.until(() => assert.equal(chips(page)[3].textContent, "w33"));
  const before = tokenRequests(page).length;
  strip(page).focus();
  await page.user.keyboard("{End}");
  await isAt(page, `w${11999 % 997}11999`);
  assert.ok(tokenRequests(page).some(({ path }) => /rows=11000:12000&/.test(path)));
  await find(page, "w996", "{Shift>}{Enter}{/Shift}");
  const last = LONG.lastIndexOf("w996", 11998);
  await isAt(page, `w996${last}`);
  await page.until(() => assert.match(page.inspector.textContent, /made when they are looked at/));
  await page.until(() => assert.match(page.one(".sentence-plot [data-at]").textContent, /^w/));
  assert.ok(tokenRequests(page).length - before < 20, "it requests what is seen");
  await page.until(() => assert.ok(!page.one("[data-help]").disabled)); // the last script has come
  const body = await replaced(page, /w996/, "bird");
  assert.deepEqual(body.text.split(" "), LONG.with(last, "bird"));
});
