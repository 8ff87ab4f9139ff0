/** Lines of a long text: the part that is drawn, and how it is led on. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { full } from "./support/full.js";
import { openLines, optionsOf } from "./support/lines.js";
import { onePage, ownPage } from "./support/one-page.js";

const SIZE = 1500;
const [FIRST, END] = [888, 912]; // of the part around token 900
const text = Array.from({ length: SIZE }, (_, index) => `word${index}`).join(" ");
const LARGE = `&source=seeded&num_heads=1&d_model=16`;
const openLong = (visit, more = "") =>
  openLines(visit, `${LARGE}${more}#${encodeURIComponent(JSON.stringify({ text }))}`);

const placesOf = (page, name) => optionsOf(page, name).map((option) => Number(option.dataset.at));
const list = (page, name) => page.in().getByRole("listbox", { name: new RegExp(`^${name}`) });

/** Waits until the bar names a part. @param {string} part */
const hasPart = (page, part) =>
  page.until(() => assert.ok(page.one(".line-window span").textContent.includes(`${part} of 1,500`), part));

describe("lines of a long text", () => {
  const visit = onePage();

  full("the part goes to the token that is chosen and shows its strongest keys", async () => {
    const page = await openLong(visit, "&picked=query.900");
    await hasPart(page, `Queries ${FIRST} to ${END - 1}`);
    const { body } = page.asked.findLast(({ path }) => path === "/api/v1/traces");
    const { trace } = await page.json("/api/v1/traces", body);
    const { values } = await page.json(`/api/v1/traces/${trace}/stages/weights?rows=${FIRST}:${END}`);
    const strongest = values.map((line) => line.indexOf(Math.max(...line)));
    const keys = placesOf(page, "Keys");
    assert.deepEqual(
      keys,
      keys.toSorted((a, b) => a - b),
    );
    assert.deepEqual(
      strongest.filter((at) => !keys.includes(at)),
      [],
    );
    const chosen = optionsOf(page, "Queries").filter((query) => query.getAttribute("aria-selected") === "true");
    assert.deepEqual(
      chosen.map((query) => query.dataset.at),
      ["900"],
    );
    assert.match(chosen[0].textContent, /^word900/);
    const best = strongest[900 - FIRST];
    const shown = page.one(`.web ul.axis-key [data-at="${best}"] b`);
    assert.equal(shown.textContent, values[900 - FIRST][best].toFixed(3));
  });

  test("the part is led on with buttons and keys", async (t) => {
    const page = await openLong(ownPage(t));
    await hasPart(page, "Queries 0 to 23");
    assert.equal(page.button("The 24 tokens before").getAttribute("aria-disabled"), "true");
    await page.click(page.button("The next 24 tokens"));
    await hasPart(page, "Queries 24 to 47");
    const queries = list(page, "Queries");
    queries.focus();
    await page.user.keyboard("{End}");
    await hasPart(page, "Queries 1,476 to 1,499");
    await page.until(() => assert.equal(page.one(".active", queries).dataset.at, "1499"));
    await page.user.keyboard("{ArrowUp}{Enter}");
    await page.addressHas("picked=query.1498");
    await page.user.keyboard("{Home}");
    await hasPart(page, "Queries 0 to 23");
    assert.equal(page.document.activeElement, queries);
    const [first] = optionsOf(page, "Queries");
    assert.deepEqual([first.getAttribute("aria-posinset"), first.getAttribute("aria-setsize")], ["1", "1500"]);
  });

  test("a key that is chosen elsewhere leads and brings the queries that attend to it", async () => {
    const page = await openLong(visit, "&picked=key.700");
    await hasPart(page, "Keys 688 to 711");
    assert.deepEqual(
      placesOf(page, "Keys"),
      Array.from({ length: 24 }, (_, at) => 688 + at),
    );
    const before = placesOf(page, "Queries");
    await page.click(optionsOf(page, "Queries")[0]); // what is in sight may be picked, and all stays where it is
    await page.addressHas(`picked=query.${before[0]}`);
    await hasPart(page, "Keys 688 to 711");
    assert.deepEqual(placesOf(page, "Queries"), before);
  });
});
