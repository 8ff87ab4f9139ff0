/** The laboratory: what the scale does to the softmax of random scores and of a head's own. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { written } from "./support/cells.js";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";
import { textOf, textsOf } from "./support/texts.js";

const MEASURES = ["variance", "entropy", "largest", "jacobian"];
const [ABOVE, HIGH] = [16, 104]; // pixels over the axes of a chart, and along them

const panel = (page) => page.one("#panel-lab");

async function openLab(visit, more = "") {
  const page = await visit(`/?tab=lab${more}`);
  return page;
}

/** The charts over an axis, with all that stands beside them. @param {string} axis */
const board = async (page, axis) => (await page.in(panel(page)).findByLabelText(axis)).closest("section");

const slide = (page, charts, to) => {
  const slider = page.one("input[type=range]", charts);
  return page.fill(slider, slider[to]);
};

/** Waits until the figures of some measures are written beside their charts. */
const reads = (page, charts, measure, wanted) =>
  page.until(() => assert.deepEqual(textsOf(page.all(`[data-measure=${measure}] .values b`, charts)), wanted));

/** How high a point of a chart lies, as a part of its axis. */
const height = (page, charts, measure, line) =>
  1 - (Number(page.one(`[data-measure=${measure}] circle.${line}`, charts).getAttribute("cy")) - ABOVE) / HIGH;

const near = (found, wanted, margin = 1e-6) => assert.ok(Math.abs(found - wanted) <= margin, `${found}, not ${wanted}`);

/** What random scores do at a width: with a scale, and without. */
async function randomFigures(page, width, n = 12) {
  const { widths } = await page.json(`/api/v1/laboratory/scaling?n=${n}`);
  return [true, false].map((scaled) => widths.find((one) => one.d_k === width && one.scaled === scaled).figures);
}

async function factorsOf(page, query) {
  const { factors } = await page.fromTrace("scaling", query);
  return (factor) => factors.find((one) => one.factor === factor).figures;
}

describe("laboratory", () => {
  const visit = onePage();

  test("random scores are measured with and without the scale, once the tab is opened", async () => {
    const page = await visit();
    assert.deepEqual(
      page.asked.filter(({ path }) => /laboratory|scaling/.test(path)),
      [],
    );
    await page.click(page.in(page.one("#tabs")).getByRole("tab", { name: "Laboratory" }));
    const random = await board(page, "d_k");
    for (const width of [16, 1024]) {
      const [scaled, unscaled] = await randomFigures(page, width);
      for (const measure of MEASURES)
        await reads(
          page,
          random,
          measure,
          [unscaled, scaled].map((each) => written(each[measure])),
        );
      near(height(page, random, "largest", "with"), scaled.largest);
      if (width === 16) await slide(page, random, "max");
      else
        page
          .in(random)
          .getByText(
            new RegExp(`passes on ${((100 * unscaled.jacobian) / scaled.jacobian).toFixed(1)} % of the gradient`),
          );
    }
    await page.addressHas("width=1024");
  });

  test("a head's own scale goes up and down, and the present one is marked", async () => {
    const page = await openLab(visit, "&head=2");
    const own = await board(page, "scale");
    await page.in(own).findByRole("heading", { name: "Layer 0, head 2: its own scores" });
    assert.equal(page.one("[data-measure=entropy] text.now", own).textContent, "now");
    const figures = await factorsOf(page, { head: 2 });
    for (const [to, factor] of [
      ["value", 1],
      ["max", 64],
      ["min", 1 / 64],
    ]) {
      await slide(page, own, to);
      for (const measure of MEASURES.slice(1)) await reads(page, own, measure, [written(figures(factor)[measure])]);
      near(height(page, own, "largest", "own"), figures(factor).largest);
    }
    assert.equal(page.in(own).getByRole("slider").getAttribute("aria-valuetext"), "× 1/64");
    await page.addressHas("factor=0.015625");
  });

  full("the factor that takes the scale away is marked where there is a scale", async () => {
    const page = await openLab(visit);
    const own = await board(page, "scale");
    const marks = () => page.all("[data-measure=largest] line.mark.without", own).length;
    await page.until(() => assert.equal(marks(), 1));
    await page.drawer();
    await page.choose(page.in(page.one("#options")).getByRole("combobox", { name: /^Scale/ }), "none");
    await page.until(() => assert.equal(marks(), 0));
  });

  test("the row is drawn with the weights of the scale that is chosen", async () => {
    const page = await openLab(visit, "&factor=8&cell=weights.9.0");
    await page.in(panel(page)).findByRole("heading", { name: "Where “too” looks, scale × 8" });
    const { layers } = await page.answer({ ...page.question(), scale: 8 / 4, stages: ["weights"] });
    const weights = layers[0].weights[0][0][9].slice(0, 10);
    const row = page.one(".row-weights", panel(page));
    const numbers = textsOf(page.all(".number", row));
    const large = weights.map((weight, at) => [weight, at]).filter(([weight]) => weight > 0.0005);
    assert.ok(large.length > 0);
    for (const [weight, at] of large) assert.equal(numbers[at], written(weight));
    const widths = page.all(".share", row).map(({ style }) => parseFloat(style.width));
    assert.equal(widths.length, weights.length);
    widths.forEach((width, at) => near(width, 100 * weights[at], 1e-3));
  });

  test("figures are shown as a table too, also after a reload", async () => {
    const page = await openLab(visit);
    const random = await board(page, "d_k");
    await page.until(() => assert.ok(page.one("svg", random)));
    await page.click(page.in(panel(page)).getByLabelText("show as table"));
    const figures = (await randomFigures(page, 256)).toReversed();
    const row = (await page.in(random).findByRole("rowheader", { name: "256" })).closest("tr");
    const wanted = MEASURES.flatMap((measure) => figures.map((each) => written(each[measure])));
    assert.deepEqual(textsOf(page.all("td", row)), wanted);
    const own = await board(page, "scale");
    assert.equal(page.in(own).getAllByRole("rowheader").length, 13);
    assert.deepEqual(
      page.all("svg", panel(page)).filter((each) => each.checkVisibility()),
      [],
    );
    await page.reload();
    await page.in(await board(page, "d_k")).findByRole("table");
  });

  test("layers, heads and sentences have figures of their own", async () => {
    const page = await openLab(visit, "&num_layers=2&layer=1&batch=1&text=a%20b%20c%0Athe%20cat%20sat%20down");
    const own = await board(page, "scale");
    for (const layer of [1, 0]) {
      if (layer === 0) await page.choose(page.in(panel(page)).getByLabelText("layer"), "0");
      await page.until(() => assert.ok(page.one("svg", own)));
      const figures = await factorsOf(page, { layer, batch: 1 });
      await reads(page, own, "entropy", [written(figures(1).entropy)]);
    }
  });

  test("a long row shows its largest keys", async () => {
    const page = await openLab(visit, `&text=${Array.from({ length: 40 }, (_, i) => `w${i}`).join("%20")}`);
    await page.until(() => assert.equal(page.all(".row-weights li", panel(page)).length, 16));
    assert.ok(textOf(page.one(".row-weights")).includes("The 16 largest of 40."));
    await page.click(page.in(panel(page)).getByRole("button", { name: "Precision" }));
    await page.until(() => assert.equal(page.all(".softmaxes tbody tr", panel(page)).length, 16));
  });

  test("a context is measured with its own keys", async () => {
    const page = await openLab(visit, "&text=the%20cat%20sat&context=die%20Katze");
    await page.until(() => assert.equal(page.all(".row-weights li", panel(page)).length, 2));
    const figures = (await randomFigures(page, 16, 2)).toReversed();
    await reads(
      page,
      await board(page, "d_k"),
      "entropy",
      figures.map(({ entropy }) => written(entropy)),
    );
  });
});
