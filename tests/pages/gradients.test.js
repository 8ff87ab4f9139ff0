/** Gradients: which number is derived, and the pictures of its derivatives. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cellColors, pictureOf, written } from "./support/cells.js";
import {
  GRADIENTS,
  cellsOf,
  choices,
  derivatives,
  derived,
  openGradients,
  panel,
  picture,
  shows,
} from "./support/gradients.js";
import { full } from "./support/full.js";
import { onePage, ownPage } from "./support/one-page.js";
import { textOf } from "./support/texts.js";

const STAGES = ["x", "q", "k", "v", "scores", "masked_scores", "weights", "head_outputs", "output"];
const N = 12; // tokens of the default question

const press = (page, stage, cell, shape) =>
  page.pointAt(picture(page, stage), cell, shape, "pointermove", "pointerdown", "pointerup", "click");

const hasValue = (page, { value }) =>
  page.until(() => assert.equal(textOf(page.one(".choices output", panel(page))), `f = ${written(value)}`));

describe("gradients", () => {
  const visit = onePage();

  test("every stage has its derivatives in place, once the tab is opened", async () => {
    const page = await visit();
    assert.deepEqual(
      page.asked.filter(({ path }) => path.includes("gradients")),
      [],
    );
    await page.click(page.in(page.one("#tabs")).getByRole("tab", { name: "Gradients" }));
    await derived(page);
    const reply = await derivatives(page, { kind: "sum" });
    const open = (cells) => cells.map((line, row) => line.map((value, col) => (col > row ? null : value)));
    for (const stage of STAGES) {
      const cells = cellsOf(reply, stage);
      await shows(page, stage, /masked|weights/.test(stage) ? open(cells) : cells);
    }
    await shows(page, "w_q", reply.layers[0].parameters.w_q);
    await hasValue(page, reply);
    await page.addressHas("tab=gradients");
    await page.addressLacks("objective");
  });

  test("a press on a number of the output derives that number, and another press the sum", async () => {
    const page = await openGradients(visit);
    await press(page, "output", [9, 3], [N, 64]);
    const reply = await derivatives(page, { kind: "cell", row: 9, col: 3 });
    await hasValue(page, reply);
    await shows(page, "k", cellsOf(reply, "k"));
    await page.addressHas("objective=output.9.3");
    await page.reload();
    await derived(page);
    await shows(page, "x", cellsOf(reply, "x"));
    await press(page, "output", [9, 3], [N, 64]);
    await shows(page, "x", cellsOf(await derivatives(page, { kind: "sum" }), "x"));
    await page.addressLacks("objective");
  });

  full("on the way back nothing is asked of the trace that is left", async () => {
    const page = await openGradients(visit, "&seed=3");
    const first = (await page.answer()).trace;
    await page.choose(await page.field("Mask"), "none");
    await derived(page);
    await page.until(() => assert.equal(page.asked.filter(({ path }) => GRADIENTS.test(path)).length, 2));
    const left = page.asked.length;
    page.back();
    await page.addressLacks("causal");
    await page.whole();
    const asked = page.asked.slice(left).filter(({ path }) => GRADIENTS.test(path));
    assert.deepEqual(
      asked.filter(({ path }) => !path.includes(first)),
      [],
    );
  });

  test("what is derived is chosen among the controls too", async () => {
    const page = await openGradients(visit);
    await page.choose(choices(page).getByLabelText("f is"), "half the squares of a row");
    await page.until(() => assert.ok(choices(page).getByLabelText("query").checkVisibility()));
    await page.choose(choices(page).getByLabelText("query"), "street");
    await page.choose(choices(page).getByLabelText("head"), "2");
    await shows(page, "v", cellsOf(await derivatives(page, { kind: "row_norm", row: 5 }), "v", { head: 2 }));
    await page.addressHas("objective=output.5");
    await page.choose(choices(page).getByLabelText("f is"), "one number");
    await page.until(() => assert.ok(choices(page).getByLabelText("column").checkVisibility()));
    await page.fill(choices(page).getByLabelText("column"), "7");
    await page.addressHas("objective=output.5.7");
    await shows(page, "v", cellsOf(await derivatives(page, { kind: "cell", row: 5, col: 7 }), "v", { head: 2 }));
  });

  test("one number is the pinned one of the output", async () => {
    const page = await openGradients(visit, "&cell=output.7.3");
    await page.choose(choices(page).getByLabelText("f is"), "one number");
    await page.addressHas("objective=output.7.3");
    await page.until(() => assert.equal(choices(page).getByLabelText("column").value, "3"));
  });

  full("the derivative of a pressed cell is read, and the inspector explains its number", async (t) => {
    const page = await openGradients(ownPage(t));
    const reading = () => textOf(page.one(".reading", panel(page)));
    assert.ok(reading().includes("A colour says by how much f changes"));
    const derivative = cellsOf(await derivatives(page, { kind: "sum" }), "weights")[9][2];
    const { layers } = await page.answer();
    const number = written(layers[0].weights[0][0][9][2]);
    await press(page, "weights", [9, 2], [N, N]);
    const change = `raised by a little ε, f changes by ${written(derivative)} ε. It is ${number} now.`;
    await page.until(() => assert.equal(reading(), `weights, too → didn't: ${change}`));
    await page.until(() => assert.equal(page.one("output", page.inspector)?.textContent, number));
    await page.addressHas("cell=weights.9.2");
  });

  test("the Jacobian is that of the softmax of the selected row", async () => {
    const page = await openGradients(visit, "&objective=output.9");
    const { trace } = await page.answer();
    const card = page.one('[data-stage="jacobian"]', panel(page));
    for (const [row, token] of [
      [9, "too"],
      [5, "street"],
    ]) {
      const { jacobian, norm } = await page.json(`/api/v1/traces/${trace}/jacobian?row=${row}`);
      await page.in(card).findByRole("heading", { name: `Jacobian of the softmax: “${token}”` });
      assert.ok(textOf(page.one("p.muted", card)).includes(`its size is ${written(norm)}.`));
      const open = jacobian.map((line, i) => line.map((value, j) => (i <= row && j <= row ? value : null)));
      await shows(page, "jacobian", open);
      await press(page, "scores", [5, 1], [N, N]);
    }
  });

  test("a derivative that is 0 but for rounding is drawn as 0", async () => {
    const page = await openGradients(visit, "&bias=true");
    const { layers } = await derivatives(page, { kind: "sum" });
    const largest = Math.max(...layers[0].parameters.b_k.map(Math.abs));
    assert.ok(largest > 0 && largest < 1e-12);
    const [[zero]] = cellColors([[0]], [[1]], page.pageData().colors.light);
    await page.until(() => {
      const [row] = pictureOf(picture(page, "b_k"));
      assert.equal(row?.length, 64);
      for (const color of row) color.forEach((part, at) => assert.ok(Math.abs(part - zero[at]) < 6, String(color)));
    });
  });
});
