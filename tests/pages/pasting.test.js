/** A whole question is pasted as JSON; what cannot be read is explained and changes nothing. */

import assert from "node:assert/strict";
import test from "node:test";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";

const MATRICES = {
  x: [
    [1, 0],
    [0, 1],
    [1, 1],
  ],
  w_q: [
    [1, 0],
    [0, 2],
  ],
  w_k: [
    [0, 1],
    [1, 0],
  ],
  w_v: [
    [1, 2],
    [3, 4],
  ],
};
const WHOLE = {
  text: "one two three",
  model: { source: "seeded", seed: 4, d_model: 8, num_heads: 2 },
  causal: false,
  temperature: 2,
};

/** The page with the dialog of explicit matrices open, and its box for everything at once. */
async function openDialog(t) {
  const page = await openExplore(t);
  await page.ask(async () => page.choose(await page.field("Model"), "explicit"));
  await page.click(await page.in(page.one("#options")).findByText("Edit…"));
  const dialog = page.in(await page.see("dialog.matrices"));
  const box = dialog.getByLabelText(/^All at once, as JSON/);
  const alert = page.in(box.closest("label")).getByRole("alert");
  return { page, dialog, box, alert };
}

test("matrices by their names are taken and drawn", async (t) => {
  const { page, dialog, box, alert } = await openDialog(t);
  const { x, model } = await page.ask(() => page.fill(box, JSON.stringify(MATRICES)));
  assert.deepEqual({ x, w_q: model.w_q, w_k: model.w_k, w_v: model.w_v }, MATRICES);
  assert.equal(alert.textContent, "");
  assert.match(dialog.getByLabelText(/^w_v/).value, /^1\s+2\s*\n3\s+4\s*$/);
  await page.click(dialog.getByRole("button", { name: "Done" }));
  await page.shows(page.question(), ["x", "q", "scores", "weights"]);
});

full("a whole question, bare or inside an example, replaces all of the page's question", async (t) => {
  const { page, box } = await openDialog(t);
  const { text, model, causal, temperature } = WHOLE;
  for (const pasted of [WHOLE, { id: "mine", question: { ...WHOLE, model: { ...model, seed: 5 } } }]) {
    const body = await page.ask(() => page.fill(box, JSON.stringify(pasted)));
    assert.deepEqual([body.text, body.causal, body.temperature], [text, causal, temperature]);
    assert.equal(body.model.seed, (pasted.question ?? pasted).model.seed);
    await page.shows(body);
    assert.equal(page.sentence.value, text);
  }
});

test("the page says why a text cannot be read, and changes nothing", async (t) => {
  const { page, box, alert } = await openDialog(t);
  const [before, asked] = [page.address, page.question()];
  const cases = {
    '{"x": [[1, 2]': "This is not JSON.",
    "[1, 2]": "not an object with matrices by their names",
    '{"w_q": [[1]], "wq": [[1]]}': "There is no field wq in a question",
    '{"w_q": 5}': "w_q is no list of lists",
  };
  for (const [text, said] of Object.entries(cases)) {
    await page.fill(box, text);
    await page.until(() => assert.ok(alert.textContent.includes(said), alert.textContent));
    await page.fill(box, "");
    await page.until(() => assert.equal(alert.textContent, ""));
  }
  assert.equal(page.address, before);
  assert.equal(page.question(), asked);
});

full("what the server refuses of pasted matrices is shown in the dialog", async (t) => {
  const { page, dialog, box } = await openDialog(t);
  await page.ask(() => page.fill(box, JSON.stringify({ ...MATRICES, w_k: [[1], [1]] })));
  await page.until(() =>
    assert.ok(dialog.getAllByRole("alert").some(({ textContent }) => textContent.includes("w_k"))),
  );
});

full("cells that are knocked out stay in the address, and are opened under More", async (t) => {
  const page = await openExplore(t, null);
  const knockouts = [{ layer: 0, head: 1, rows: [3], cols: [0, 1] }];
  await page.open(`/?source=seeded&d_model=8&num_heads=2#${encodeURIComponent(JSON.stringify({ knockouts }))}`);
  const body = page.question();
  assert.deepEqual(body.knockouts, knockouts);
  await page.shows(body, ["weights"], { head: 0 });
  const { layers } = await page.answer();
  assert.deepEqual(layers[0].weights[0][1][3].slice(0, 2), [0, 0]);
  await page.more();
  const field = page.one('[data-field="knockouts"]');
  page.in(field).getByText("2 cells closed in single layers");
  const next = await page.ask(() => page.click(page.button("open them", field)));
  assert.ok(!("knockouts" in next));
  await page.until(() => assert.ok(!page.address.includes("knockouts")));
});

full("positions that are given stay in the address, and are taken away under More", async (t) => {
  const page = await openExplore(t, null);
  const given = { position_ids: [0, 1, 0] };
  await page.open(`/?source=seeded&text=the+cat+sat#${encodeURIComponent(JSON.stringify(given))}`);
  assert.deepEqual(page.question().position_ids, given.position_ids);
  await page.more();
  const field = page.one('[data-field="position_ids"]');
  page.in(field).getByText("positions are given for 3 tokens");
  const next = await page.ask(() => page.click(page.button("take them away", field)));
  assert.ok(!("position_ids" in next));
  await page.until(() => assert.ok(!page.address.includes("position_ids")));
});

full("global tokens anywhere stay in the address, and are taken away under More", async (t) => {
  const page = await openExplore(t, "/?source=seeded&text=the+cat+sat&window=1&global_tokens=[1]");
  assert.deepEqual(page.question().global_tokens, [1]);
  await page.more();
  const field = page.in().getByText("global tokens at 1 place").parentElement;
  const next = await page.ask(() => page.click(page.button("take them away", field)));
  assert.equal(next.global_tokens, 0);
  await page.until(() => assert.ok(!page.address.includes("global_tokens")));
});
