/** Map: what is chosen over it is in the address, in the legend and in the picture, which stays until the next can be drawn. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alike } from "./support/cells.js";
import { calmPage, openOwnMap, mapCanvas, menu, openMap, picture, rest, showsHead } from "./support/map.js";
import { onePage } from "./support/one-page.js";

const TILES = /\/tiles\//;
const MAP_REQUESTS = /\/(tiles|map)\//;

describe("map choices", () => {
  const visit = onePage(calmPage);

  test("what is chosen is in the address, and a reload restores it", async () => {
    const page = await openMap(visit);
    await page.choose(menu(page, "Stage"), "masked_scores");
    await page.choose(menu(page, "Head"), "2");
    await page.choose(menu(page, "Cells that share a pixel"), "mean");
    await page.choose(menu(page, "Colours"), "log");
    await page.addressHas("map=masked_scores", "head=2", "reduce=mean", "ramp=log");
    await showsHead(page, "2");
    await rest(page);
    const panel = page.one("#panel-map");
    for (let i = 0; i < 3; i++) await page.click(page.button("Zoom in", panel));
    await page.addressHas("place=");
    const { address } = page;
    await page.reload();
    await showsHead(page, "2");
    await rest(page);
    assert.equal(page.address, address);
    assert.equal(mapCanvas(page).dataset.stage, "masked_scores");
    const chosen = ["Stage", "Head", "Cells that share a pixel", "Colours"].map((name) => menu(page, name).value);
    assert.deepEqual(chosen, ["masked_scores", "2", "mean", "log"]);
    await page.click(page.button("Whole map", page.one("#panel-map")));
    await page.addressLacks("place=");
  });

  test("the legend names the scale of the colours and what the edges show", async () => {
    const page = await openMap(visit);
    const legend = page.one(".map-legend");
    const has = (text) => page.until(() => assert.ok(legend.textContent.includes(text), text));
    await has("Colours: even.");
    await has("At the edges: the largest cell in sight of each query");
    await page.choose(menu(page, "Colours"), "root");
    await has("Colours: square root, 0 … 1.");
    await page.choose(menu(page, "Cells that share a pixel"), "mean");
    await has("At the edges: the mean");
  });

  test("other colours of scores change the picture and request nothing", async () => {
    const page = await openMap(visit, "/?source=seeded&tab=map&map=scores");
    const before = picture(page);
    const asked = page.asked.length;
    await page.choose(menu(page, "Colours"), "log");
    await page.until(() => assert.ok(!alike(picture(page), before)));
    assert.deepEqual(
      page.asked.slice(asked).filter(({ path }) => MAP_REQUESTS.test(path)),
      [],
    );
  });

  test("a map stays until the next head can be drawn, and heads left meanwhile are not drawn", async (t) => {
    const page = await openOwnMap(t);
    const before = picture(page);
    const drawn = new Set();
    const seen = new page.window.MutationObserver(() => drawn.add(mapCanvas(page).dataset.head));
    seen.observe(mapCanvas(page), { attributes: true });
    const held = [];
    page.route(TILES, () => new Promise((resolve) => held.push(resolve)));
    for (const head of ["1", "2", "3", "1"]) await page.choose(menu(page, "Head"), head);
    await page.until(() => assert.ok(held.length > 0));
    assert.ok(alike(picture(page), before));
    assert.ok(page.one(".map-box").matches(".old"));
    page.unroute();
    for (const proceed of held) proceed();
    await showsHead(page, "1");
    await rest(page);
    assert.ok(!alike(picture(page), before));
    assert.deepEqual([...drawn], ["1"]);
    assert.ok(!page.one(".map-box").matches(".old"));
  });

  test("while no answer comes the map stays and says so", async (t) => {
    const page = await openOwnMap(t);
    page.route(MAP_REQUESTS, () => {
      throw new Error("no connection");
    });
    await page.choose(menu(page, "Head"), "3");
    const note = page.one(".map-note");
    await page.until(() => assert.match(note.textContent, /The server does not answer\. It is asked again/));
    assert.equal(mapCanvas(page).dataset.head, "0");
    page.unroute();
    await showsHead(page, "3");
    await page.until(() => assert.equal(note.textContent, ""));
  });

  test("a trace that the server has forgotten is computed again by its question", async (t) => {
    const page = await openOwnMap(t);
    const gone = { status: 404, code: "unknown_trace", title: "gone", detail: "gone", errors: [] };
    let forgotten = 0;
    page.route(/\/map\//, () =>
      forgotten++
        ? null
        : Response.json(gone, { status: 404, headers: { "Content-Type": "application/problem+json" } }),
    );
    const question = page.question();
    const again = await page.request(
      () => page.choose(menu(page, "Head"), "2"),
      ({ path }) => path === "/api/v1/traces",
    );
    assert.equal(again.body.text, question.text);
    await showsHead(page, "2");
    assert.ok(forgotten > 1);
  });
});
