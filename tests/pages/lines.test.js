/** Lines: the weights that are drawn, and the tokens that are pointed at and picked. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { stageCells } from "./support/cells.js";
import { countOf, hasLines, openLines, optionsOf } from "./support/lines.js";
import { onePage } from "./support/one-page.js";

const N = 12;
const weightsOf = (reply, head = 0) => stageCells(reply, "weights", { layer: 0, head, batch: 0 });
const above = (weights, least) => weights.flat().filter((value) => value !== null && value >= least).length;
const twoDecimals = (value) => value.toFixed(2);

describe("lines", () => {
  const visit = onePage();

  test("every weight above the threshold is a line, of each chosen head", async () => {
    const page = await openLines(visit);
    const reply = await page.answer();
    await hasLines(page, above(weightsOf(reply), 0.05));
    const heads = page.in(page.in().getByRole("group", { name: "Heads" }));
    await page.click(heads.getByRole("button", { name: /layer 0, head 2/ }));
    await hasLines(page, above(weightsOf(reply), 0.05) + above(weightsOf(reply, 2), 0.05));
    assert.equal(heads.getAllByRole("button", { pressed: true }).length, 2);
    await page.click(heads.getByRole("button", { name: /layer 0, head 0/ }));
    await page.addressHas("head=2");
    await page.addressLacks("heads=");
    await page.fill(page.in().getByLabelText(/^Weight at least/), "0.3");
    await hasLines(page, above(weightsOf(reply, 2), 0.3));
    await page.addressHas("threshold=0.3");
  });

  test("a token that is pointed at shows its weights beside the tokens of the other side", async () => {
    const page = await openLines(visit);
    const weights = weightsOf(await page.answer());
    const queries = optionsOf(page, "Queries");
    await page.user.hover(queries[9]);
    const wanted = weights[9].map((weight) => (weight >= 0.05 ? twoDecimals(weight) : ""));
    const shown = () => optionsOf(page, "Keys").map((key) => page.one("b", key).textContent);
    await page.until(() => assert.deepEqual(shown(), wanted));
    assert.ok(page.one(".web").matches(".focused"));
    await page.user.unhover(queries[9]);
    await page.until(() => assert.deepEqual(shown(), Array(N).fill("")));
    assert.ok(!page.one(".web").matches(".focused"));
  });

  test("a token that is pressed stays, one more is added, and a reload restores both", async () => {
    const page = await openLines(visit);
    const weights = weightsOf(await page.answer());
    await page.click(optionsOf(page, "Keys")[1]);
    await page.user.keyboard("{Shift>}");
    await page.click(optionsOf(page, "Keys")[5]);
    await page.user.keyboard("{/Shift}");
    await page.user.unhover(optionsOf(page, "Keys")[5]);
    const sums = weights.map((line) => line[1] + line[5]);
    const restored = () =>
      page.until(() => {
        const selected = optionsOf(page, "Keys").map((key) => key.getAttribute("aria-selected") === "true");
        assert.deepEqual(
          [...selected.entries()].filter(([, on]) => on).map(([at]) => at),
          [1, 5],
        );
        assert.equal(page.one("#picked h2").textContent, "animal + street");
        const shown = optionsOf(page, "Queries").map((query) => page.one("b", query).textContent);
        assert.deepEqual(
          shown,
          sums.map((sum) => (sum >= 0.05 ? twoDecimals(sum) : "")),
        );
      });
    await restored();
    await page.addressHas("picked=key.1_5");
    await page.reload();
    await restored();
  });

  test("queries and keys may differ in number", async () => {
    const page = await openLines(
      visit,
      "&text=a%20b%20c%20d%20e&context=the%20cat%20sat%20on%20the%20mat%20and%20slept",
    );
    assert.deepEqual([optionsOf(page, "Queries").length, optionsOf(page, "Keys").length], [5, 8]);
    await hasLines(page, above(weightsOf(await page.answer()), 0.05));
  });

  test("too many lines are cut to the strongest, and the page says so", async () => {
    const words = Array.from({ length: 64 }, (_, index) => `w${index}`).join("%20");
    const page = await openLines(visit, `&source=seeded&causal=false&threshold=0&heads=0.0_0.1&text=${words}`);
    await page.until(() => assert.match(page.one(".lines .muted").textContent, /The 6,000 strongest of 8,192/));
    assert.equal(countOf(page), 8192);
  });
});
