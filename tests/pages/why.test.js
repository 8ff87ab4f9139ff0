/** Why a head looks there: the score of a pinned weight, taken apart. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { written } from "./support/cells.js";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";
import { textOf, textsOf } from "./support/texts.js";

const ECHO = `/?text=${encodeURIComponent("Winston Churchill met Harry Truman. Winston")}&source=installed&name=echo`;

const question = (page) => page.in(page.inspector).queryByText("Why does it look there?");

describe("why", () => {
  const visit = onePage();

  test("a pinned weight is taken apart by the heads that wrote what it reads", async () => {
    const page = await visit(`${ECHO}&layer=1&cell=weights.6.2`);
    await page.until(() => assert.ok(question(page)));
    await page.click(question(page));
    await page.addressHas("why=true");
    const parts = (row, col) => page.fromTrace("cells/scores/parts", { layer: 1, head: 0, row, col });
    const reply = await parts(6, 2);
    const table = await page.in(page.inspector).findByRole("table", { name: /^Parts of the score/ });
    const rows = page.all("tbody tr", table);
    assert.equal(rows.length, reply.query_parts.length);
    const first = textsOf(page.all("td", rows[0])).map((text) => Number(text.replace("−", "-")));
    assert.equal(first.length, reply.values[0].length);
    first.forEach((value, at) => assert.ok(Math.abs(value - reply.values[0][at]) < 0.051));
    const head = page.one("th", rows[1]);
    assert.deepEqual([head.textContent, head.title], ["L0 H0", "what layer 0, head 0 wrote there"]);
    const said = () => textOf(page.one(".why", page.inspector));
    assert.ok(said().includes(`q · k = ${written(reply.score)}`));
    assert.ok(said().includes("The strongest part"));
    await page.pick("weights", [5, 1], [14, 14]);
    const other = await parts(5, 1);
    await page.until(() => assert.ok(said().includes(`q · k = ${written(other.score)}`)));
  });

  full("a number that is no score, or is masked, is not taken apart", async () => {
    const page = await visit(`${ECHO}&cell=q.2.2`);
    await page.see("output", page.inspector);
    assert.equal(question(page), null);
    await page.walk(`${ECHO}&cell=weights.1.4`);
    await page.see("#inspector .because");
    assert.equal(question(page), null);
  });

  test("the score of blocks that do not add up is explained without a table", async () => {
    const page = await visit("/?text=a%20b%20c&num_layers=2&layer=1&cell=scores.2.1&why=true");
    await page.see("#inspector .why p.muted");
    assert.equal(page.one(".why table", page.inspector), null);
  });
});
