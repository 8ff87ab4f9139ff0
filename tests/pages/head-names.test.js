/** Names of heads: the metric that stands out on this text, and on random tokens that repeat. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";

const ECHO = "/?text=Winston%20Churchill%20met%20Harry%20Truman.%20Winston&source=installed&name=echo";
const NAMES = {
  induction: "induction",
  duplicate_token: "duplicate",
  previous: "previous",
  first: "first",
  own: "own",
};
// Of metrics over repeated tokens alone, those that the same weights may count for.
const RIVALS = {
  induction: ["previous", "duplicate_token"],
  duplicate_token: ["previous", "first", "induction"],
};

/** The name that the metrics of a head give it; empty: none. */
function nameOf(metrics) {
  for (const [name, written] of Object.entries(NAMES)) {
    const own = metrics[name] ?? 0;
    const rivals = (RIVALS[name] ?? Object.keys(NAMES)).filter((other) => other !== name);
    if (own >= 0.5 && rivals.every((other) => own >= 1.5 * (metrics[other] ?? 0)))
      return `${written} ${own.toFixed(2)}`;
  }
  return "";
}

async function openHeads(visit, more = "", address = ECHO) {
  const page = await visit(`${address}&tab=heads${more}`);
  await page.see(".tile");
  return page;
}

describe("head names", () => {
  const visit = onePage();

  full("every tile has the name that its metrics give it", async () => {
    const page = await openHeads(visit);
    await page.until(() => assert.ok(page.all(".tile .named").some(({ textContent }) => /\d/.test(textContent))));
    const { heads } = await page.fromTrace("heads");
    assert.ok(heads.some(nameOf));
    for (const metrics of heads) {
      const tile = page.one(`.tile[data-layer="${metrics.layer}"][data-head="${metrics.head}"]`);
      const name = nameOf(metrics);
      assert.equal(page.one(".named", tile).textContent, name);
      if (!name) continue;
      assert.match(tile.title, /at least 0\.5/);
      assert.ok(page.in(tile).getByRole("img").getAttribute("aria-label").includes(name));
    }
  });

  test("heads are sorted by induction", async () => {
    const page = await openHeads(visit, "&metric=induction&sorted=true");
    const figures = () => page.all(".tile .caption span").map(({ textContent }) => textContent);
    await page.until(() => assert.notEqual(figures()[0], ""));
    const { heads } = await page.fromTrace("heads");
    const sorted = heads.map(({ induction }) => induction).toSorted((a, b) => b - a);
    assert.deepEqual(
      figures(),
      sorted.map((value) => value.toFixed(2)),
    );
  });

  test("the probe finds heads by their names, leads to them, and is taken away", async () => {
    const page = await openHeads(visit);
    const find = page.button("Find heads", page.one("#panel-heads"));
    await page.click(find);
    await page.addressHas("probe=true");
    const found = await page.until(() =>
      page.in(page.one("#panel-heads")).getByRole("region", { name: "Heads on random tokens" }),
    );
    const probe = await page.fromTrace("probe");
    await page.until(() => assert.match(found.textContent, /Copied \d+.%/));
    const named = probe.heads.flatMap((row, layer) =>
      row.flatMap((metrics, head) => (nameOf(metrics) ? [{ layer, head, name: nameOf(metrics) }] : [])),
    );
    const rows = page.in(found).getAllByRole("row");
    const kinds = page.in(found).getAllByRole("table");
    assert.equal(kinds.length, new Set(named.map(({ name }) => name.split(" ")[0])).size);
    assert.equal(rows.length, kinds.length + named.length);
    const { layer, head, name } = named.at(-1);
    const row = rows.find(({ textContent }) => textContent.includes(`L${layer} H${head}`));
    assert.ok(row.textContent.includes(name));
    await page.click(page.in(row).getByRole("button"));
    await page.until(() => assert.equal(page.one(".tile[aria-current]").dataset.head, String(head)));
    await page.click(find);
    await page.addressLacks("probe=");
    await page.until(() => assert.ok(!page.one("table", found)?.checkVisibility()));
  });

  test("a model of random weights is probed too", async () => {
    const page = await openHeads(visit, "&probe=true", "/?source=seeded");
    const found = await page.until(() =>
      page.in(page.one("#panel-heads")).getByRole("region", { name: "Heads on random tokens" }),
    );
    await page.until(() => assert.match(found.textContent, /32 random tokens, 2 times over/));
    assert.match(found.textContent, /Without a name: 4 of 4 heads/);
    assert.doesNotMatch(found.textContent, /Copied/);
  });
});
