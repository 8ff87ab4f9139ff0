/** Two models that cut a text into different pieces, compared word by word. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { alike, cellColors, pictureOf } from "./support/cells.js";
import { openCompare } from "./support/compare.js";

const TEXT = "The squirrel was too tired";
const QUESTIONS = { a: "a.source=installed&a.name=echo", b: "b.seed=1" };
const SIDES = Object.entries(QUESTIONS).map(([side, model]) => `${model}&${side}.text=${encodeURIComponent(TEXT)}`);

test("words are compared where pieces are not, and a cell leads to one of pieces", async (context) => {
  const page = await openCompare(context, `/compare?${SIDES.join("&")}`);
  const shown = () => page.all("#contrasts > .card:not([hidden])").map((card) => card.dataset.stage);
  assert.ok(shown().length > 5);
  const both = page.in(page.one("#both"));
  await page.choose(both.getByLabelText("Count"), "words");
  await page.addressHas("tokens=words");
  await page.until(() => assert.deepEqual(shown(), ["weights"]));
  assert.match(page.one("#both").textContent, /Only weights can be counted by words/);

  const { trace } = await page.answer({ text: TEXT, model: { source: "installed", name: "echo" } });
  const { values } = await page.json(`/api/v1/traces/${trace}/stages/weights?tokens=words`);
  const cells = values.map((line, row) => line.map((value, col) => (col > row ? null : value)));
  await page.until(() =>
    assert.ok(alike(pictureOf(page.canvas("weights", "a")), cellColors(cells, null, page.colors()))),
  );
  assert.equal(pictureOf(page.canvas("weights", "difference")).length, 5);

  await page.pointAt(page.canvas("weights", "a"), [4, 1], [5, 5], "pointermove", "pointerdown", "pointerup", "click");
  await page.addressHas("cell=weights.4.1");
  await page.says(() => page.inspector, "tired → squirrel");
  await page.says(() => page.inspector, values[4][1].toFixed(3));
  const [link] = page.all("a.explain", page.inspector);
  assert.match(link.getAttribute("href"), /tokens=words/);
  assert.match(link.getAttribute("href"), /cell=weights\.6\.1/); // the piece of tired, the first of squirrel
  await page.choose(both.getByLabelText("pieces of a key"), "max");
  await page.addressHas("keys=max");
  const most = await page.json(`/api/v1/traces/${trace}/stages/weights?tokens=words&keys=max`);
  await page.says(() => page.inspector, most.values[4][1].toFixed(3));
  await page.choose(both.getByLabelText("Count"), "pieces");
  await page.addressLacks("cell=");
  await page.until(() => assert.ok(shown().length > 5));
});
