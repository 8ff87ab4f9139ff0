/** Parameters: the matrices as pictures, their singular values, identities and variances. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alike, cellColors, pictureOf, written } from "./support/cells.js";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";
import { chooseMatrix, facts, named, openParameters, panel, titled } from "./support/parameters.js";
import { textOf, textsOf } from "./support/texts.js";

const ROUNDING = /×10⁻¹[³⁴⁵⁶⁷]$|^0$/;

const tensors = (page) => page.all("[data-tensor]", panel(page));

async function parametersOf(page) {
  const reply = await page.answer({ ...page.question(), stages: [], layers: [0], parameters: true });
  return reply.layers[0].parameters;
}

describe("parameters", () => {
  const visit = onePage();

  full("the tab opens by its name, and by the name it had once", async () => {
    const page = await visit();
    await page.click(page.in(page.one("#tabs")).getByRole("tab", { name: "Parameters" }));
    await page.until(() => assert.equal(tensors(page).length, 4));
    await page.addressHas("tab=parameters");
    await page.walk("/?tab=weights&matrix=w_k");
    await page.until(() => assert.ok(page.one('[data-tensor="w_k"][data-chosen]', panel(page))));
    assert.equal(page.in(page.one("#tabs")).getByRole("tab", { name: "Parameters" }).ariaSelected, "true");
    await chooseMatrix(page, "WQ");
    await page.addressHas("tab=parameters");
  });

  full("the numbers of the norms and of the MLP are counted too", async () => {
    const page = await openParameters(visit, "&block=pre_norm&mlp=true&bias=true");
    const found = await parametersOf(page);
    for (const name of ["norm_gain", "w_in", "b_out"]) assert.ok(name in found, name);
    assert.equal(tensors(page).length, Object.keys(found).length);
    const total = Object.values(found).flat(2).length;
    page.in(panel(page)).getByText(`${total.toLocaleString("en")} numbers`);
  });

  full("a tensor is drawn with its numbers, and the selected head's part of it has a frame", async () => {
    const page = await openParameters(visit, "&bias=true&d_model=16&head=2&num_kv_heads=2");
    const found = await parametersOf(page);
    for (const tensor of ["w_q", "w_o", "b_k"]) {
      const rows = Array.isArray(found[tensor][0]) ? found[tensor] : [found[tensor]];
      const wanted = cellColors(rows, rows, page.pageData().colors.light);
      const canvas = page.one(`[data-tensor=${tensor}] canvas[data-layer]`);
      await page.until(() => assert.ok(alike(pictureOf(canvas), wanted), tensor));
    }
    const frame = (tensor) => {
      const { left, top, width, height } = page.one(`[data-tensor=${tensor}] .own-part`).style;
      return [left, top, width, height];
    };
    assert.deepEqual(frame("w_q"), ["50%", "", "25%", ""]);
    assert.deepEqual(frame("w_k"), ["50%", "", "50%", ""]);
    assert.deepEqual(frame("w_o"), ["", "50%", "", "25%"]);
  });

  test("singular values are drawn as bars, and written as a table", async () => {
    const page = await openParameters(visit, "&head=1");
    const { heads } = await page.fromTrace("spectrum", { head: 1 });
    const values = (matrix) => heads[0].matrices[matrix].singular_values;
    const matrices = { WQ: "w_q", "WQ WKᵀ": "w_qk", "WV WO": "w_vo" };
    for (const [name, matrix] of Object.entries(matrices)) {
      await chooseMatrix(page, name);
      const shown = (await titled(page, new RegExp(`^Singular values of ${name},`))).parentElement;
      const heights = page.all("rect", shown).map((bar) => Number(bar.getAttribute("height")));
      assert.equal(heights.length, values(matrix).length);
      const [first] = values(matrix);
      heights.forEach((height, at) => assert.ok(Math.abs(height - (values(matrix)[at] / first) * heights[0]) < 1));
    }
    await page.click(page.in(panel(page)).getByLabelText("as tables"));
    for (const [name, matrix] of Object.entries(matrices)) {
      await chooseMatrix(page, name);
      const cells = values(matrix).map((value) => written(value, 6));
      const shown = (await titled(page, new RegExp(`^Singular values of ${name},`))).parentElement;
      assert.deepEqual(textsOf(page.all(".sheet td", shown)), cells);
    }
    await page.addressHas("table=true");
  });

  full("rank, condition number and determinant are written beside the singular values", async () => {
    const page = await openParameters(visit, "&num_heads=1&d_model=8");
    const { w_q: whole } = (await page.fromTrace("spectrum", { head: 0 })).tensors;
    const table = facts(page, page.one(".facts", panel(page)));
    assert.deepEqual(table.get("rank"), ["8", "8"]);
    assert.deepEqual(table.get("condition number"), Array(2).fill(written(whole.condition_number, 2)));
    assert.equal(table.get("determinant")[0], written(whole.determinant, 3));
    await chooseMatrix(page, "WQ WKᵀ");
    await titled(page, /^Singular values of WQ WKᵀ, head 0$/);
    await page.addressHas("matrix=w_qk");
  });

  test("identities are written with their errors", async () => {
    const page = await openParameters(visit, "&share=qk&bias=true");
    const [, , checks] = page.all(".columns > .card", panel(page));
    const rows = [...facts(page, page.one("table", checks))];
    const errorOf = (name) => rows.find(([each]) => each.startsWith(name))[1][0];
    assert.match(errorOf("scores = x WQ WKᵀ xᵀ × scale"), ROUNDING);
    assert.match(errorOf("max |scores − scoresᵀ|"), ROUNDING);
    assert.equal(rows.filter(([name]) => name.startsWith("max |")).length, 5);
  });

  full("variances and counts are those of the server", async () => {
    const page = await openParameters(visit, "&init=kaiming_normal");
    await titled(page, /^Initialisation/);
    const { schemes } = await page.fromTrace("initialisation");
    const tables = page.all("table", page.all(".card", panel(page)).at(-1));
    const shown = facts(page, tables[0]);
    for (const {
      init,
      tensors: [first],
    } of schemes) {
      const [predicted, measured] = shown.get(init)[0].split(" · ").map(Number);
      assert.ok(Math.abs(predicted - first.predicted) < 6e-6, init);
      assert.ok(Math.abs(measured - first.measured) < 6e-6, init);
    }
    assert.equal(textOf(page.one(".own th", tables[0])), "kaiming_normal");
    const counts = facts(page, tables[3]);
    assert.equal(counts.get("one wide head")[1], "12,288");
    assert.equal(counts.get("a key/value head each")[1], "12,288");
    const own = counts.get("as asked");
    assert.deepEqual([own[2], own[4]], ["0", "0"]);
    page.in(panel(page)).getByText(`${own.at(-1)} numbers`);
  });

  test("a model without output projection has no WO", async () => {
    const page = await openParameters(visit, "&output_projection=false&matrix=w_vo");
    assert.equal(tensors(page).length, 3);
    await titled(page, /^Singular values of WQ,/);
    assert.equal(named(page, ".matrices button", /^WV WO$/).checkVisibility(), false);
  });

  test("numbers beyond float64 are explained until other ones come", async () => {
    const huge = Object.fromEntries(["w_q", "w_k", "w_v"].map((name) => [name, [[1e300]]]));
    const page = await visit(`/?tab=parameters&source=explicit&text=a%20b#${encodeURIComponent(JSON.stringify(huge))}`);
    const trouble = await page.in(panel(page)).findByText(/beyond the range of float64/);
    assert.ok(!named(page, "h3", /^Singular/)?.checkVisibility());
    await page.choose(await page.field("Model"), "seeded");
    await titled(page, /^Singular/);
    assert.equal(trouble.textContent, "");
  });

  test("the tab is written in Chinese", async () => {
    const page = await visit("/?tab=parameters&lang=zh");
    await page.until(() => assert.ok(page.one(".token-dot", panel(page))));
    assert.ok(panel(page).textContent.includes("的奇异值"));
    assert.ok(!panel(page).textContent.includes("parameters."));
  });
});
