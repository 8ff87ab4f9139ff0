/** Layers × heads: drawn from the numbers, sorted, filtered, combined, selected for every tab. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alike, cellColors, pictureOf, stageCells } from "./support/cells.js";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";

const [LAYERS, HEADS] = [3, 4];
const QUESTION = `num_layers=${LAYERS}&num_heads=${HEADS}&d_model=16&text=the%20cat%20sat%20on%20the%20mat%20.`;
const MANY = `num_layers=4&num_heads=12&d_model=48&text=${Array.from({ length: 90 }, (_, i) => `w${i}`).join("%20")}`;
const TOGETHER = ".together canvas[data-head]";

async function openHeads(visit, more = "") {
  const page = await visit(`/?tab=heads&${QUESTION}${more}`);
  await page.see(TOGETHER);
  await page.until(() => assert.equal(page.all(".tile").length, LAYERS * HEADS));
  return page;
}

const tile = (page, layer, head) => page.one(`.tile[data-layer="${layer}"][data-head="${head}"]`);
const weights = (reply, layer, head) => stageCells(reply, "weights", { layer, head, batch: 0 });

/** Waits until a canvas shows weights. */
function shows(page, selector, cells) {
  const wanted = cellColors(cells, null, page.pageData().colors.light);
  return page.until(() => assert.ok(alike(pictureOf(page.one(selector)), wanted), selector));
}

/** Several heads as one. @param {(number | null)[][][]} maps @param {(values: number[]) => number} by */
const combined = (maps, by) =>
  maps[0].map((line, row) => line.map((one, col) => one && by(maps.map((map) => map[row][col]))));
const mean = (values) => values.reduce((sum, each) => sum + each, 0) / values.length;

describe("heads", () => {
  const visit = onePage();

  test("every head of every layer is drawn from its numbers and labelled with its metrics", async () => {
    const page = await openHeads(visit);
    const reply = await page.answer();
    const { heads } = await page.json(`/api/v1/traces/${reply.trace}/heads`);
    const { messages, metrics: rows } = page.pageData();
    for (const { layer, head, ...figures } of heads) {
      await shows(page, `.tile[data-layer="${layer}"][data-head="${head}"] canvas`, weights(reply, layer, head));
      const metrics = rows.map(({ name }) => `${messages[`metric.${name}`]} ${figures[name].toFixed(2)}`);
      assert.ok(metrics.some((each) => each.startsWith("on previous token 0.")));
      assert.equal(
        page.one("canvas", tile(page, layer, head)).getAttribute("aria-label"),
        `layer ${layer}, head ${head}, ${metrics.join(", ")}`,
      );
      assert.ok(tile(page, layer, head).textContent.includes(figures.entropy.toFixed(2)));
    }
    assert.equal(heads.length, LAYERS * HEADS);
  });

  test("heads are sorted and filtered by a metric", async () => {
    const page = await openHeads(visit, "&metric=first");
    await page.click(page.in().getByLabelText("largest first"));
    const { heads } = await page.fromTrace("heads");
    const wanted = heads.toSorted((a, b) => b.first - a.first);
    const names = wanted.map(({ layer, head }) => `L${layer} H${head}`);
    const captions = () => page.all(".tile .caption b").map((each) => each.textContent);
    await page.until(() => assert.deepEqual(captions(), names));
    await page.walk(`${page.address}&above=${(wanted[4].first + wanted[5].first) / 2}`);
    await page.until(() => assert.deepEqual(captions(), names.slice(0, 5)));
    page.in().getByText("5 of 12 heads");
    await page.click(page.button("Choose all shown"));
    await page.in().findByRole("heading", { name: "Mean of 5 heads" });
  });

  test("heads are found by kind, one kind alone, and saved with their figures", async () => {
    const page = await visit("/?source=crafted&name=all&text=a%20b%20c%20a%20b%20c&tab=heads");
    const found = () => page.in().getByRole("region", { name: "Heads on random tokens" });
    await page.click(page.button("Find heads"));
    await page.addressHas("probe=true");
    const captions = () => page.all("caption", found()).map((each) => each.textContent);
    await page.until(() => assert.ok(captions().length > 1));
    assert.equal(captions().at(-1), "first");
    await page.choose(page.in(found()).getByLabelText("Kind of head"), "previous");
    assert.deepEqual(captions(), ["previous"]);
    const saved = [];
    page.window.Blob = Blob;
    Object.assign(page.window.URL, { createObjectURL: (blob) => saved.push(blob), revokeObjectURL: () => undefined });
    page.window.HTMLAnchorElement.prototype.click = () => undefined;
    await page.click(page.in(found()).getByRole("button", { name: "Save as CSV" }));
    assert.match(await saved[0].text(), /^layer,head,name,induction,.*\n0,0,/);
  });

  test("a head that is clicked is selected in every tab", async () => {
    const page = await openHeads(visit);
    await page.click(page.one("canvas", tile(page, 2, 1)));
    await page.addressHas("layer=2");
    assert.equal(tile(page, 2, 1).getAttribute("aria-current"), "true");
    await page.click(page.in().getByRole("tab", { name: "Stages" }));
    await page.see("[data-stage=weights] canvas[data-layer='2'][data-head='1']");
    await shows(page, "[data-stage=weights] canvas[data-layer]", weights(await page.answer(), 2, 1));
    const thumbnail = await page.see(".thumbnail[data-layer='2'][data-head='1']");
    assert.equal(thumbnail.getAttribute("aria-pressed"), "true");
  });

  test("chosen heads are seen together as mean and maximum, and after a reload", async () => {
    const page = await openHeads(visit);
    const reply = await page.answer();
    const both = [weights(reply, 0, 1), weights(reply, 2, 3)];
    await page.click(page.one(".tick", tile(page, 0, 1)));
    await page.user.keyboard("{Shift>}");
    await page.click(page.one("canvas", tile(page, 2, 3)));
    await page.user.keyboard("{/Shift}");
    await page.in().findByRole("heading", { name: "Mean of 2 heads" });
    await shows(page, TOGETHER, combined(both, mean));
    await page.choose(page.in().getByLabelText("Several heads as"), "max");
    const most = combined(both, (values) => Math.max(...values));
    await shows(page, TOGETHER, most);
    await page.addressHas("heads=0.1_2.3");
    await page.reload();
    await page.see(TOGETHER);
    await shows(page, TOGETHER, most);
    await page.click(page.button("Choose none"));
    await shows(page, TOGETHER, weights(reply, 0, 0));
  });

  test("the legend of heads together ends at their maximum", async () => {
    const page = await openHeads(visit, "&heads=0.1_2.3&range=data&causal=false");
    const reply = await page.answer();
    const most = Math.max(...combined([weights(reply, 0, 1), weights(reply, 2, 3)], mean).flat());
    const high = await page.see(".together .legend .high");
    assert.equal(high.textContent, String(Number(most.toFixed(2))));
  });

  test("a cell of heads together shows its number and tokens, a tile its metrics", async () => {
    const page = await openHeads(visit, "&heads=0.1_2.3");
    const reply = await page.answer();
    const cell = mean([weights(reply, 0, 1), weights(reply, 2, 3)].map((map) => map[5][1]));
    await page.pointAt(page.one(TOGETHER), [5, 1], [7, 7], "pointermove");
    const readout = () => page.one(".together .readout").textContent;
    await page.until(() =>
      assert.ok(readout().includes(cell.toFixed(3)) && readout().includes("mat → cat"), readout()),
    );
    const { heads } = await page.fromTrace("heads");
    await page.user.hover(page.one("canvas", tile(page, 1, 2)));
    const metrics = () => page.one(".together .metrics").textContent;
    await page.until(() => assert.ok(metrics().includes("layer 1, head 2"), metrics()));
    const { distance } = heads.find(({ layer, head }) => layer === 1 && head === 2);
    assert.ok(metrics().includes(distance.toFixed(3)));
  });

  full("an answer too large to come whole has every head with its mask", async () => {
    const page = await visit(`/?${MANY}`);
    await page.click(page.in().getByRole("tab", { name: "Heads" }));
    await page.until(() => assert.equal(page.all(".tile:not(.absent)").length, 48));
    const sent = page.asked.findLast(({ path }) => path.includes("/thumbnails/weights?"));
    assert.match(sent.path, /encoding=u8.*batch=0|batch=0.*encoding=u8/);
    assert.ok(!page.asked.some(({ path }) => path === "/api/v1/attention"));
    const last = page.one("canvas", tile(page, 3, 11));
    const middles = Array.from({ length: 9 }, (_, at) => at + 0.5);
    await page.until(() => {
      const picture = pictureOf(last);
      const opacity = (row, col) =>
        picture[Math.floor((row / 9) * picture.length)][Math.floor((col / 9) * picture.length)][3];
      for (const row of middles)
        for (const col of middles) if (row !== col) assert.equal(opacity(row, col), col < row ? 255 : 0);
    });
  });

  full("an address that opens the heads requests all of them once", async (t) => {
    const page = await openExplore(t, null);
    await page.goto(`/?tab=heads&${MANY}`);
    await page.until(() => assert.equal(page.all(".tile:not(.absent)").length, 48));
    assert.equal(page.asked.filter(({ path }) => path.includes("/thumbnails/weights?")).length, 1);
    assert.equal(page.all("link[rel=modulepreload][href$='/heads/heads-tab.js']").length, 1);
  });
});
