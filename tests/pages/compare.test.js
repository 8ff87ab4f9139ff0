/** The difference of two questions: its pictures, its numbers, and one cell of it. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alike, cellColors, pictureOf } from "./support/cells.js";
import { A, ADDRESS, B, Compare, openCompare } from "./support/compare.js";
import { Explore } from "./support/explore.js";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";
import { kept } from "./support/page.js";

const THREE = ["a", "b", "difference"];
const NUMBER = /[0-9]/;

const known = (cells) => cells.flat().filter((value) => value !== null);
const minus = (b, a) => b.map((line, row) => line.map((value, col) => value && value - a[row][col]));
const largest = (values) => Math.max(...values.map(Math.abs));
const signed = (value, decimals) => `${value > 0 ? "+" : ""}${value.toFixed(decimals)}`.replace("-", "−");
const rowOf = (table, at) => table.querySelectorAll("tr")[at].textContent;

describe("comparison", () => {
  const visit = onePage(() => new Compare(), ADDRESS);

  full("the difference is B minus A, in colors and in words", async () => {
    const page = await visit();
    const [a, b] = await page.cells("weights");
    const by = minus(b, a);
    const wanted = cellColors(by, by, page.colors());
    await page.until(() => assert.ok(alike(pictureOf(page.canvas("weights", "difference")), wanted)));
    const sizes = known(by).map(Math.abs);
    const mean = sizes.reduce((sum, each) => sum + each, 0) / sizes.length;
    assert.ok(page.textOf("weights").includes(`max |Δ| ${largest(sizes).toFixed(3)}`));
    assert.ok(page.textOf("weights").includes(`mean |Δ| ${mean.toFixed(3)}`));
    const link = page.in(page.one("#differences")).getByRole("link", { name: "weights" });
    assert.ok(link.closest("tr").textContent.includes(largest(sizes).toFixed(3)));
  });

  test("pointing at one picture reads all three numbers", async () => {
    const page = await visit();
    const [a, b] = (await page.cells("weights")).map((cells) => cells[2][1]);
    await page.pointAt(page.canvas("weights", "b"), [2, 1], [3, 3], "pointermove");
    for (const text of ["sat → cat", a.toFixed(3), b.toFixed(3), Math.abs(b - a).toFixed(3)])
      await page.says(() => page.one("#trio"), text);
    for (const of of THREE) await page.see(".lit.cell", page.figure("weights", of));
  });

  test("a pinned cell shows both numbers and what differs most upstream", async () => {
    const page = await visit(`${ADDRESS}&cell=weights.2.1&precision=6`);
    const [a, b] = (await page.cells("weights")).map((cells) => cells[2][1]);
    await page.until(() => assert.deepEqual(page.numbers(), [a.toFixed(6), b.toFixed(6), signed(b - a, 6)]));
    const [q] = [minus(...(await page.cells("q")).toReversed())[2]];
    const at = q.findIndex((value) => Math.abs(value) === largest(q));
    const row = page.in(page.inspector).getByRole("row", { name: /^q sat/ });
    assert.equal([...row.querySelectorAll("td")].at(-1).textContent, signed(q[at], 6));
    const scores = minus(...(await page.cells("masked_scores")).toReversed())[2];
    const most = A.text.split(" ")[scores.findIndex((value) => Math.abs(value) === largest(scores))];
    const [, first] = page.in(page.inspector).getAllByRole("row");
    assert.match(first.textContent, new RegExp(`^masked scores *sat → ${most}`));
    await page.click(page.in(row).getByRole("button"));
    await page.addressHas(`&cell=q.2.${at}&`);
    assert.equal(page.numbers().at(-1), signed(q[at], 6));
  });

  test("the first stage that differs is pressed over a pinned cell, and explained in Explore", async (t) => {
    const page = await visit(`${ADDRESS}&cell=weights.2.1`);
    const line = () => page.in(page.inspector).getByRole("button", { name: /^x, / });
    const heading = page.in(page.inspector).getByRole("heading", { name: /weights/ });
    assert.ok(line().compareDocumentPosition(heading) & page.window.Node.DOCUMENT_POSITION_FOLLOWING);
    for (const _ of [1, 2]) {
      await page.click(line()); // pinned already, it stays pinned
      await page.in(page.inspector).findByRole("heading", { name: /^x/ });
    }
    await page.until(() => assert.match(page.address, /&cell=x\.[0-9]+\.[0-9]+/));
    await page.click(page.button("Let go of the cell", page.inspector));
    await page.click(line());
    const [number] = page.numbers();
    const explained = page.in(page.inspector).getByRole("link", { name: "explain in A" }).href;
    const explore = kept(t, new Explore());
    await explore.open(explained.slice(page.window.location.origin.length));
    await explore.until(() => assert.equal(explore.one("#inspector output").textContent, number));
  });

  test("a stage is enlarged in each of the three, and as a table", async () => {
    const page = await visit();
    const [a, b] = await page.cells("weights");
    await page.click(page.button(/^Enlarge weights/, page.figure("weights", "difference")));
    const large = await page.in().findByRole("dialog", { name: "weights: Δ = B − A" });
    assert.equal(page.document.activeElement, page.in(large).getByRole("grid"));
    await page.click(page.in(large).getByLabelText("show as table"));
    const table = page.in(large).getByRole("table");
    assert.equal(rowOf(table, 1), "a0.000––");
    assert.ok(rowOf(table, 3).startsWith(`sat${signed(b[2][0] - a[2][0], 3)}`));
    page.button("B", large).click(); // gives no focus, as a press in Safari
    await page.until(() => assert.match(page.address, /&stage=weights&table=true&of=b$/));
    await page.in().findByRole("dialog", { name: "weights: B" });
    assert.equal(page.document.activeElement, page.button("B", large));
    const shows = () => assert.ok(rowOf(page.one("#large table"), 3).startsWith(`sat${b[2][0].toFixed(3)}`));
    shows();
    await page.reload();
    await page.until(shows);
    await page.user.keyboard("{Escape}");
    await page.until(() => assert.ok(!page.one("#large").open));
    await page.until(() => assert.match(page.address, /&of=b$/));
  });

  test("tokens without a counterpart are empty rows of the difference", async () => {
    const page = await visit("/compare?a.text=a%20cat%20sat&b.text=a%20black%20cat%20sat");
    const difference = page.figure("q", "difference");
    const labels = () => page.all(".labels .row", difference).map((each) => each.textContent);
    await page.until(() => assert.deepEqual(labels(), ["a", "cat/black", "sat/cat", "sat"]));
    await page.choose(page.in().getByLabelText("Tokens aligned by"), "edit distance");
    await page.until(() => assert.deepEqual(labels(), ["a", "black", "cat", "sat"]));
    const numbers = () => page.all("#trio dd").map((each) => each.textContent);
    page.in(difference).getByRole("grid").focus();
    await page.user.keyboard("{ArrowDown}");
    await page.until(() => {
      const [one, other, by] = numbers();
      assert.deepEqual([one, by], ["–", "–"]);
      assert.match(other, NUMBER);
    });
    await page.user.keyboard("{ArrowDown}");
    await page.until(() => numbers().forEach((number) => assert.match(number, NUMBER)));
  });

  test("what has no counterpart is said on its side", async () => {
    const b = "b.text=a%20black%20cat%20sat&b.num_heads=2&b.window=none";
    const page = await visit(`/compare?a.text=a%20cat%20sat&${b}&align=edit&cell=weights.3.1`);
    const alone = (name) => page.one(".alone", page.side(name)).textContent;
    assert.equal(alone("A"), "Without a counterpart in B: head 2–3.");
    assert.ok(alone("B").includes("d_k 16–31 · d_v 16–31 · tokens"));
    assert.ok(alone("B").includes("black"));
    await page.in(page.side("B")).findByText(/^Left out, because it means nothing here: window=none\./);
    await page.addressLacks("window");
    const [one, other, by] = page.numbers();
    assert.deepEqual([one, by], ["–", "–"]);
    assert.match(other, NUMBER);
  });

  full("the selected head stays inside both questions", async (t) => {
    const page = await openCompare(t, `${ADDRESS}&b.num_heads=2&head=3`);
    await page.until(() => assert.equal(page.in(page.one("#both")).getByLabelText(/^Head/).value, "1"));
    for (const of of THREE) assert.equal(page.canvas("weights", of).dataset.head, "1");
    assert.ok(page.one(".shape", page.figure("q", "a")).textContent.includes("d_k 16"));
    assert.ok(page.one(".shape", page.figure("q", "b")).textContent.includes("d_k 32"));
  });
});
