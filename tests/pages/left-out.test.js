/** A look past the sink: keys that are left out of the weights, and the rest of each row divided by its sum. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alike, cellColors, pictureOf, stageCells } from "./support/cells.js";
import { onePage } from "./support/one-page.js";
import { commandOf, figure, openShare, textsOf } from "./support/share.js";

const QUESTION = "source=seeded&num_layers=2&num_heads=4&d_model=16&text=the%20cat%20sat%20on%20mats";
const LARGE = `source=seeded&num_layers=3&num_heads=4&d_model=16&text=${"one%20two%20three%20".repeat(50)}`;
const CANVAS = ".together canvas[data-head]";

/** A map whose open cells are divided by the sum of their row, without some keys. */
const without = (cells, keys) =>
  cells.map((line) => {
    const rest = line.map((value, col) => (keys.includes(col) ? null : value));
    const sum = rest.reduce((total, value) => total + value, 0);
    return rest.map((value) => value && value / sum);
  });

const menu = (page, root) => page.in(page.one(root)).getByLabelText("Keys", { selector: "select" });

/** The maps of two heads of the answer. */
async function mapsOf(page) {
  const reply = await page.answer();
  return [0, 1].map((head) => stageCells(reply, "weights", { layer: 0, head, batch: 0 }));
}

const shows = (page, cells) => {
  const wanted = cellColors(cells, null, page.pageData().colors.light);
  return page.until(() => assert.ok(alike(pictureOf(page.one(CANVAS)), wanted)));
};

describe("keys that are left out", () => {
  const visit = onePage();

  test("the first or the picked keys are left out of the picture, of the file and of the lines", async () => {
    const page = await visit(`/?tab=heads&${QUESTION}&picked=query.2_1`);
    await page.see(CANVAS);
    const [map, other] = await mapsOf(page);
    await page.choose(menu(page, ".heads"), "without the");
    await shows(page, without(map, [0]));
    await page.addressHas("skip=0");
    const side = page.one(".together");
    assert.equal(page.in(side).getAllByRole("heading")[0].textContent, "layer 0, head 0, without the");
    assert.match(side.textContent, /Left out \(hatched\): the\. The other weights of each row are divided/);

    assert.equal(page.one(".legend .masked", side).textContent, "masked or left out");

    const dialog = page.in(await openShare(page));
    await page.until(() => assert.ok(textsOf(figure(page)).some((text) => text.includes("head 0, without the"))));
    const extent = dialog.getByLabelText("of");
    assert.equal(extent.options[0].textContent, "this map: layer 0, head 0, without the");
    const { weights } = (await commandOf(page)).reply;
    assert.ok(weights.every(([first]) => first === 0));
    page.window.URL.createObjectURL = () => "blob:x";
    page.window.URL.revokeObjectURL = () => undefined;
    page.window.HTMLAnchorElement.prototype.click = () => undefined;
    const { path } = await page.request(
      () => page.click(dialog.getByRole("button", { name: "CSV" })),
      (asked) => asked.path.includes("/together"),
    );
    assert.match(path, /combine=mean&heads=0\.0&batch=0&skip=0&format=csv/);
    await page.click(dialog.getByRole("button", { name: "Close" }));

    await page.choose(menu(page, ".heads"), "without cat, sat");
    await shows(page, without(map, [1, 2]));
    const both = await visit(`/?tab=heads&${QUESTION}&heads=0.0_0.1&skip=1_2`);
    const parts = [map, other].map((each) => without(each, [1, 2]));
    await shows(
      both,
      parts[0].map((line, row) => line.map((value, col) => value && (value + parts[1][row][col]) / 2)),
    );
    const lines = await visit(`/?tab=lines&${QUESTION}&skip=0`);
    await lines.until(() => assert.match(lines.one(".lines").textContent, /Left out: the\. Each query’s other/));
  });

  test("the card, the large picture, its table, the file and the map are without them too", async () => {
    const page = await visit(`/?${QUESTION}&skip=0&cell=weights.3.1`);
    const [map] = await mapsOf(page);
    const colors = cellColors(without(map, [0]), null, page.pageData().colors.light);
    await page.until(() => assert.ok(alike(pictureOf(page.canvas("weights")), colors)));
    const card = page.card("weights");
    assert.match(card.textContent, /masked or left out/);
    assert.match(card.textContent, /Left out \(hatched\): the\. .* stages after it are computed with every key/);
    await page.until(() => assert.match(page.one("#inspector").textContent, /Computed with every key\./));

    const dialog = page.in(await openShare(page));
    assert.ok(textsOf(figure(page)).some((text) => text.includes("layer 0, head 0, without the · ")));
    const { values } = (await commandOf(page)).reply;
    assert.ok(values.every(([first]) => first === 0));
    await page.choose(dialog.getByLabelText("stage"), "scores");
    assert.equal((await commandOf(page)).reply.layers.length, 1); // scores are of every key
    await page.choose(dialog.getByLabelText("stage"), "weights");
    page.window.URL.createObjectURL = () => "blob:x";
    page.window.URL.revokeObjectURL = () => undefined;
    page.window.HTMLAnchorElement.prototype.click = () => undefined;
    const { path } = await page.request(
      () => page.click(dialog.getByRole("button", { name: "CSV" })),
      (asked) => asked.path.includes("/export"),
    );
    assert.match(path, /format=csv&stages=weights&skip=0&layer=0&head=0/);
    await page.click(dialog.getByRole("button", { name: "Close" }));

    await page.click(page.in(card).getByRole("button", { name: "Show every key" }));
    await page.addressLacks("skip=");
    const every = cellColors(map, null, page.pageData().colors.light);
    await page.until(() => assert.ok(alike(pictureOf(page.canvas("weights")), every)));

    const large = await visit(`/?${QUESTION}&stage=weights&table=true`);
    await large.choose(menu(large, "#large .left-out"), "without the");
    await large.addressHas("skip=0");
    await large.until(() => assert.ok(large.all("#large td").some((cell) => cell.textContent === "left out")));
  });

  test("the Map tab asks for tiles without them, and says so", async () => {
    const page = await visit(`/?tab=map&${QUESTION}`);
    const asked = page.asked.length;
    await page.choose(menu(page, "#panel-map"), "without the");
    await page.addressHas("skip=0");
    const paths = () => page.asked.slice(asked).map(({ path }) => path);
    await page.until(() => {
      for (const part of [/map\/weights\?.*skip=0/, /tiles\/weights\/.*skip=0/])
        assert.ok(paths().some((path) => part.test(path)));
    });
    await page.until(() => assert.match(page.one(".map-legend").textContent, /Left out \(hatched\): the\./));
    assert.match(page.one(".map-legend").textContent, /masked or left out/);
    await page.choose(page.in(page.one("#panel-map")).getByLabelText("Stage"), "scores");
    assert.equal(menu(page, "#panel-map").checkVisibility(), false);
  });

  test("rollout leaves them out of every layer", async () => {
    const page = await visit(`/?tab=heads&${QUESTION}&rollout=true&layer=1&skip=0`);
    await page.see(CANVAS);
    const [map] = (await page.fromTrace("rollout", { layer: 1, batch: 0, skip: 0 })).maps;
    await shows(page, map);
    assert.match(page.one(".together").textContent, /In every layer the is left out/);
  });

  test("pictures come without them, and what is seen meanwhile is dimmed", async () => {
    const page = await visit(`/?tab=heads&${LARGE}`);
    await page.see(CANVAS);
    const asked = [];
    page.route(/skip=0/, async ({ path }) => {
      asked.push(path);
      assert.ok(page.one(".together").hasAttribute("data-pending"));
      assert.ok(page.one(".tiles").hasAttribute("data-pending"));
    });
    await page.choose(menu(page, ".heads"), "without one₀");
    await page.until(() => assert.ok(!page.one(".together").hasAttribute("data-pending")));
    assert.ok(!page.one(".tiles").hasAttribute("data-pending"));
    for (const part of ["/pictures/weights?layer=0&head=0", "/thumbnails/weights?"])
      assert.ok(
        asked.some((path) => path.includes(part)),
        part,
      );
    page.unroute();
  });
});
