/** The laboratory: what rounding does to the stages and the softmax, what attention costs, and linear attention. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";
import { Page, kept } from "./support/page.js";
import { textOf, textsOf } from "./support/texts.js";

const panel = (page) => page.one("#panel-lab");

async function openLab(visit, more) {
  const page = await visit(`/?tab=lab${more}`);
  return page;
}

const scientific = (value) => {
  const [mantissa, power] = value.toExponential(1).split("e-");
  return `${mantissa}×10⁻${power.replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit])}`;
};

/** Cells of the table of errors, one for each dtype. @param {string} name of a row */
const errors = (page, name) => page.all("td", page.in(panel(page)).getByRole("rowheader", { name }).closest("tr"));

describe("laboratory rounding", () => {
  const visit = onePage();

  test("every precision shows how far every stage is from float64", async () => {
    const page = await openLab(visit, "");
    const button = await page.in(panel(page)).findByRole("button", { name: "Precision" });
    await page.click(button);
    await page.see(".softmaxes tbody", panel(page));
    const { dtypes } = await page.fromTrace("precision", { row: 11 });
    for (const [at, { stages }] of dtypes.entries())
      for (const { stage, largest } of stages) {
        const cell = errors(page, stage.replaceAll("_", " "))[at];
        if (largest === 0) assert.equal(textOf(cell), "0");
        else if (largest < 0.05) {
          assert.equal(textOf(cell), scientific(largest));
          const width = parseFloat(page.one(".reach i", cell).style.width);
          assert.ok(Math.abs(width - (100 * (Math.log10(largest) + 18)) / 18) < 1e-3);
        }
      }
    await page.addressHas("lab=precision");
  });

  test("one press makes the naive softmax overflow, and another takes it back", async () => {
    const page = await openLab(visit, "&lab=precision&rounding=float32&cell=weights.9.0");
    const softmax = await page.see(".softmaxes", panel(page));
    await page.in(softmax).findByRole("heading", { name: "Softmax of “too” in float32" });
    const lost = () => page.all("td.bad", softmax);
    assert.deepEqual(lost(), []);
    await page.click(page.button("Make it overflow", softmax));
    await page.until(() => assert.equal(lost()[0]?.textContent, "∞"));
    assert.notEqual(page.question().scale, "sqrt_d_k");
    const { dtypes } = await page.fromTrace("precision", { row: 9 });
    for (const {
      dtype,
      softmax: { naive, stable },
    } of dtypes) {
      await page.choose(page.in(softmax).getByLabelText("dtype"), dtype);
      const signs = (part, sign) => naive[part].slice(0, 10).map((value) => value === null && sign);
      const wanted = [signs("exponentials", "∞"), signs("weights", "NaN")];
      const rows = () =>
        page
          .all("tbody tr", softmax)
          .slice(0, 10)
          .map((row) => textsOf(page.all("td", row)));
      const found = () => [1, 2].map((col) => rows().map((row) => ["∞", "NaN"].includes(row[col]) && row[col]));
      await page.until(() => assert.deepEqual(found(), wanted));
      assert.ok(naive.weights.includes(null));
      assert.ok(!stable.weights.slice(0, 10).includes(null));
    }
    const [first] = errors(page, "naive softmax");
    assert.ok(first.matches(".bad") && first.textContent.includes("infinite"), first.outerHTML);
    await page.click(page.button("Back to the scale before", softmax));
    await page.until(() => assert.deepEqual(lost(), []));
    await page.addressLacks("scale=");
  });

  test("the softmax is that of the query that is chosen, and masked keys have no share of it", async () => {
    const page = await openLab(visit, "&lab=precision&cell=weights.1.0");
    await page.see(".softmaxes tbody", panel(page));
    const rows = page.all(".softmaxes tbody tr", panel(page));
    assert.deepEqual(textsOf(page.all("td", rows[2])), ["−∞", "0.000", "0.000", "0.000", "0.000"]);
    assert.deepEqual(
      rows.slice(0, 3).map((row) => row.matches(".shut")),
      [false, false, true],
    );
    const query = page.in(panel(page)).getByLabelText("query");
    await page.user.selectOptions(query, "street");
    await page.in(panel(page)).findByRole("heading", { name: /“street”/ });
    await page.see("output", page.inspector);
    await page.addressHas("cell=weights.5.0");
  });

  test("a refusal is explained in words of the page", async (t) => {
    const page = await openExplore(t, null);
    const problem = { title: "Too large", detail: "They would take 9,000 MB.", code: "too_large" };
    const headers = { "content-type": "application/problem+json" };
    page.route(/\/precision\?/, () => new Response(JSON.stringify(problem), { status: 413, headers }));
    await page.goto("/?tab=lab&lab=precision");
    const said = await page.in(panel(page)).findByText(/more than can be computed at once/);
    assert.ok(said.checkVisibility());
  });

  test("costs are those of the sizes that the sliders show", async () => {
    const page = await openLab(visit, "&lab=costs");
    const row = async () =>
      (await page.in(panel(page)).findAllByRole("rowheader", { name: "scores" }))[0].closest("tr");
    const scores = async () => textOf(page.one("td", await row()));
    await row();
    const { shape } = await page.answer();
    assert.equal(await scores(), (shape.n ** 2 * shape.d_model).toLocaleString("en"));
    const slider = (name) => page.in(panel(page)).getByLabelText(name);
    await page.fill(slider("tokens"), slider("tokens").max);
    await page.addressHas("sizes=131072.64.4.4");
    await page.in(panel(page)).findAllByText("1.10×10¹²");
    assert.equal(await scores(), "1.10×10¹²");
    await page.fill(slider("heads"), "0");
    await page.addressHas("sizes=131072.64.1.1"); // one head has one key/value head
  });

  full("linear attention is drawn beside the softmax of the same head", async () => {
    const page = await openLab(visit, "&lab=linear&head=1");
    const said = await page.in(panel(page)).findByText(/Weights differ by/);
    const { weights_difference: difference } = await page.fromTrace("linear", { head: 1 });
    assert.ok(said.textContent.includes(`differ by ${difference.toFixed(2)} at most`), said.textContent);
    const plots = page.in(panel(page)).getAllByRole("grid");
    assert.equal(plots.length, 2);
    assert.match(plots[1].getAttribute("aria-label"), /linear attention, layer 0, head 1/);
  });

  full("chapters hold the laboratory", async (t) => {
    const page = kept(t, new Page());
    await page.goto("/learn/scaling");
    const scaling = await page.see("[data-figure=laboratory]");
    await page.until(() => assert.ok(textOf(page.one("[data-measure=variance] .values", scaling)).includes("without")));
    await page.fill(page.in(scaling).getAllByLabelText("d_k").at(-1), "0");
    await page.until(() => assert.equal(page.one("output", scaling).textContent, "1"));
    await page.goto("/learn/softmax");
    const overflow = await page.see("[data-figure=overflow]");
    const lost = () => page.all(".softmaxes td.bad", overflow).length;
    await page.until(() => assert.equal(lost(), 6));
    await page.choose(page.in(overflow).getByLabelText("dtype"), "float64");
    await page.until(() => assert.equal(lost(), 0));
  });
});
