/** Positions and blocks: the choices, and the operands between the stages. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";

const SMALL = "/?text=one%20two%20three&d_model=16";

/** What the page asks after a choice in the menu of what is seldom changed. */
async function choose(page, name, label) {
  const list = await page.field(`${name}(?! size)`);
  const { value } = [...list.options].find((option) => [option.label, option.value].includes(label));
  return (await page.ask(() => page.choose(list, value))).model;
}

/** The name of a button as it is read aloud. */
const nameOf = (button) => button.getAttribute("aria-label") ?? button.textContent;

/** Waits for buttons of the inspector whose names begin with a text and lead to a cell: the first of them. */
const operand = (page, start) =>
  page.until(() => {
    const names = page.all("button", page.inspector).map(nameOf);
    const at = names.findIndex((name) => name.startsWith(`${start} `) && name.includes(":"));
    assert.ok(at >= 0, `no ${start} among ${names}`);
    return page.all("button", page.inspector)[at];
  });

describe("blocks", () => {
  const visit = onePage();

  test("every kind of position and block can be chosen", async () => {
    const page = await visit(SMALL);
    await page.more();
    assert.equal((await choose(page, "positions", "rotary")).positions, "rotary");
    assert.equal((await choose(page, "block", "sublayer norm: x + LN(output)")).block, "sublayer_norm");
    const mlp = await page.field("MLP");
    const body = await page.ask(() => page.click(mlp));
    assert.equal(body.model.mlp, true);
    await page.until(() => assert.match(page.address, /positions=rotary.*block=sublayer_norm.*mlp=/));
    await page.shows(body, ["weights", "block_output"]);
  });

  for (const block of ["pre_norm", "post_norm", "sublayer_norm"])
    test(`the operands between the stages open and lead on: ${block}`, async () => {
      const page = await visit(`${SMALL}&seed=1&positions=rotary&block=${block}&mlp=true`);
      assert.equal(page.question().model.mlp, true);
      await page.pick("q", [1, 3], [3, 4]);
      const rotated = await operand(page, "q before rotation");
      assert.match(page.inspector.textContent, /sine of the angle/);
      await page.click(rotated);
      await operand(page, block === "pre_norm" ? "LN(x)" : "x");
    });

  full("the block output of one layer is seen where an MLP makes another of it", async (t) => {
    const page = await openExplore(t, SMALL);
    const isSeen = () => page.card("block_output").checkVisibility();
    assert.equal(isSeen(), false);
    await page.open(`${SMALL}&block=attention&mlp=true`);
    assert.equal(isSeen(), true);
    await page.shows(page.question(), ["output", "block_output"]);
    await page.more();
    const mlp = await page.field("MLP");
    await page.ask(() => page.click(mlp));
    await page.until(() => assert.equal(isSeen(), false));
  });
});
