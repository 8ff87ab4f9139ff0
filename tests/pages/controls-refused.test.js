/** A number that cannot be is reported beside its field; the grid of heads follows the model. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pictureOf } from "./support/cells.js";
import { ATTENTION } from "./support/explore.js";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";

const SMALL = "/?text=the%20cat%20sat&d_model=16";
const picture = (page) => pictureOf(page.canvas("weights"));
const number = (page, name) => page.in().findByRole("spinbutton", { name });
const type = (page, name, text) => page.ask(async () => page.fill(await number(page, name), text));
const grid = (page) => page.in(page.in().getByRole("group", { name: "Layer and head" }));

/** The alert with these words. */
const alert = (page, words) => page.all("[role=alert]").find((each) => words.test(each.textContent));

describe("controls refused", () => {
  const visit = onePage();

  test("what the server refuses is said beside its field, and the picture stays", async () => {
    const page = await visit(SMALL);
    await page.shows(page.question());
    const before = picture(page);
    await page.drawer();
    await type(page, "heads", "5");
    await page.until(() => assert.ok(alert(page, /16/)?.checkVisibility()));
    assert.deepEqual(picture(page), before);
    await page.shows(await type(page, "heads", "2"));
    assert.equal(alert(page, /16/), undefined);
  });

  test("a number out of range is reported before it is sent", async () => {
    const page = await visit(SMALL);
    await page.drawer();
    const sent = () => page.asked.filter(({ path }) => path === ATTENTION).length;
    const before = sent();
    await page.fill(await number(page, /^Temperature/), "0");
    await page.until(() => assert.ok(alert(page, /a number from/)?.checkVisibility()));
    assert.equal(sent(), before);
    await page.shows(await type(page, /^Temperature/, "2"));
    assert.equal(alert(page, /a number from/), undefined);
  });

  full("layers and heads are chosen in the grid, whose pictures differ", async () => {
    const page = await visit(SMALL);
    await page.until(() => {
      const drawn = grid(page)
        .getAllByRole("button")
        .map((each) => JSON.stringify(pictureOf(page.one("canvas", each))));
      assert.equal(new Set(drawn).size, 4);
    });
    await page.more();
    const body = await type(page, /^layers/, "3");
    await page.shows(body);
    await page.until(() => assert.equal(grid(page).getAllByRole("button").length, 12));
    const chosen = grid(page).getByRole("button", { name: /layer 2, head 1$/ });
    await page.click(chosen);
    await page.shows(body, ["x", "q", "weights", "output"], { layer: 2, head: 1 });
    const { layer, head } = page.canvas("weights").dataset;
    assert.deepEqual([layer, head], ["2", "1"]);
    assert.equal(grid(page).getByRole("button", { pressed: true }), chosen);
  });

  full("fewer layers and heads bring the selection back inside", async () => {
    const page = await visit("/?text=a%20b&d_model=8&num_layers=2&layer=1&head=3");
    await page.shows(page.question(), ["weights"], { layer: 1, head: 3 });
    await page.more();
    await page.shows(await type(page, /^layers/, "1"), ["weights"], { head: 3 });
    await page.shows(await type(page, "heads", "2"), ["weights"], { head: 1 });
  });
});
