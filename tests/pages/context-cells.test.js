/** Cells of cross-attention: each leads to its query and to its key in the context. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { stageCells, written } from "./support/cells.js";
import { type } from "./support/changes.js";
import { openCompare } from "./support/compare.js";
import { ADDRESS, BODY, KEYS, QUERIES, contextChips, texts } from "./support/context.js";
import { full, rowsOf } from "./support/full.js";
import { onePage } from "./support/one-page.js";

const FIRST = { layer: 0, head: 0, batch: 0 };
const output = (page) => page.one("#inspector output")?.textContent;

describe("context cells", () => {
  const visit = onePage();

  test("a key leads back to the context", async () => {
    const page = await visit(ADDRESS);
    await page.hover("k", [2, 3], [6, 16]);
    await page.until(() => assert.ok(contextChips(page)[2].matches(".axis-key")));
    assert.equal(page.all(".overlay .lit:not([hidden])", page.card("context")).length, 1);
    await page.pick("k", [2, 3], [6, 16]);
    await page.until(() => assert.equal(page.one(".place", page.inspector).textContent, "sat · d_k 3"));
    const operand = await page.in(page.inspector).findByRole("button", { name: /^context · sat · d_model 0/ });
    await page.click(operand);
    const { layers } = await page.answer({ ...BODY, stages: ["context"] });
    await page.until(() => assert.equal(output(page), written(layers[0].context[0][2][0])));
    assert.equal(page.one("h2 b", page.inspector).textContent, "context");
    assert.ok(page.inspector.textContent.includes("embedding"));
    await page.addressHas("cell=context.2.0");
  });

  full("a weight reads its query and its key, a picked token those that look at it", async () => {
    const page = await visit(ADDRESS);
    const weights = stageCells(await page.answer(BODY), "weights", FIRST);
    await page.pick("weights", [1, 5], [3, 6]);
    await page.until(() => {
      assert.equal(page.one(".place", page.inspector).textContent, "Katze → mat");
      const numbers = weights[1].map((value) => written(value));
      assert.deepEqual(texts(page.all(".bars .number", page.inspector)), numbers);
    });
    await page.click(contextChips(page)[2]);
    const picked = await page.see("#picked h2");
    assert.equal(picked.textContent, "sat");
    assert.deepEqual(texts(page.all("#picked .token")), QUERIES);
    const column = weights.map((row) => written(row[2]));
    assert.deepEqual(texts(page.all("#picked .number")), column);
    assert.ok(!page.one("#picked [role=radiogroup]")?.checkVisibility());
    await page.addressHas("picked=key.2");
    const own = page.in().getByRole("listbox", { name: "Tokens" });
    await page.click(page.in(own).getAllByRole("option")[0]);
    await page.until(() => assert.equal(page.one("#picked h2").textContent, "Die"));
    assert.deepEqual(texts(page.all("#picked .token")), KEYS);
  });

  full("heads and lines show both texts", async () => {
    const page = await visit(ADDRESS);
    await page.click(page.in().getByRole("tab", { name: "Heads" }));
    const metric = await page.in().findByRole("combobox", { name: "Metric" });
    await page.until(() => assert.ok(!metric.disabled));
    assert.equal(page.all("option:disabled", metric).length, 5);
    await page.until(() => assert.match(page.one("#panel-heads .tile").textContent, /\d\.\d\d/));
    await page.click(page.in().getByRole("tab", { name: "Lines" }));
    await page.see("#panel-lines ul.axis-key li");
    assert.deepEqual(texts(page.all("#panel-lines ul.axis-query li")), QUERIES);
    assert.deepEqual(texts(page.all("#panel-lines ul.axis-key li")), KEYS);
  });

  test("the large stage and the stepper take their keys from the context", async () => {
    const page = await visit(`${ADDRESS}&stage=weights&table=true`);
    await page.see("#large thead th");
    assert.deepEqual(texts(page.all("#large thead th")), KEYS);
    assert.deepEqual(texts(page.all("#large tbody th")), QUERIES);
    await page.walk(`${ADDRESS}&stage=context`);
    assert.equal((await page.see("#large h2")).textContent, "context");
    await page.walk(`${ADDRESS}&step=project.100`);
    await page.until(() =>
      assert.ok(page.one("#stepper .words").textContent.includes("which is a row of the context")),
    );
    const query = stageCells(await page.answer(BODY), "q", FIRST);
    await page.until(() => assert.equal(page.one("#stepper output").textContent, `Σ = ${written(query.at(-1)[0])}`));
  });

  full("two questions with contexts are compared key by key", async (t) => {
    const side = (letter, word) => `${letter}.text=Die%20Katze&${letter}.context=The%20${word}%20sat`;
    const page = await openCompare(t, `/compare?${side("a", "cat")}&${side("b", "dog")}`);
    const labels = (axis) => texts(page.all(`.labels .${axis}`, page.figure("weights", "difference")));
    await page.until(() => assert.deepEqual(labels("col"), ["The", "cat/dog", "sat"]));
    assert.deepEqual(labels("row"), ["Die", "Katze"]);
    const boxes = page.in().getAllByRole("textbox", { name: "Context" });
    assert.deepEqual(boxes.map(({ value }) => value), ["The cat sat", "The dog sat"]); // prettier-ignore
  });

  for (const model of rowsOf(["source=crafted&name=all", "d_model=4&num_heads=2"]))
    test(`a changed matrix keeps the numbers of the context: ${model}`, async () => {
      const page = await visit(`${ADDRESS}&${model}&cell=w_k.1.2`);
      const before = page.question();
      const body = await type(page, "−1.5");
      const [was] = (await page.answer({ ...before, parameters: true })).layers;
      if (model.includes("crafted")) {
        assert.deepEqual(body.context_x, was.context[0]);
        assert.deepEqual(body.context_tokens, KEYS);
      } else assert.deepEqual([body.text, body.context], [BODY.text, BODY.context]); // the words of a seeded model stay words
      assert.equal(body.model.w_k[1][2], -1.5);
      await page.shows(body, ["k", "weights"]);
      body.model.w_k[1][2] = was.parameters.w_k[1][2];
      assert.deepEqual((await page.answer(body)).layers[0].output, was.output);
    });
});
