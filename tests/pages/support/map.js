/** The tab of the map as the tests use it. */

import assert from "node:assert/strict";
import { pictureOf } from "./cells.js";
import { Explore } from "./explore.js";
import { ownPage } from "./one-page.js";

export const SMALL = "num_heads=2&d_model=16";

const CALM = { media: ["(prefers-reduced-motion: reduce)"] };

/** A page whose map does not glide. */
export const calmPage = () => new Explore(CALM);

/** A page with a map at an address, once all of it has come. @param {import("./one-page.js").Visit} visit @param {string} address */
export async function openMap(visit, address = "/?source=seeded&tab=map") {
  const page = await visit(address);
  await mapped(page);
  return page;
}

/** The same page, for one test alone. @param {any} test @param {string} [address] */
export const openOwnMap = (test, address) => openMap(ownPage(test, CALM), address);

/** Waits for the first picture. @param {import("./explore.js").Explore} page */
async function mapped(page) {
  await page.see(".map-plot canvas[data-map]");
  await rest(page);
}

/** The map of a text of this many tokens, word0 to word399 again and again. @param {import("./one-page.js").Visit} visit @param {number} n */
export function openLongMap(visit, n, more = "") {
  const text = Array.from({ length: n }, (_, at) => `word${at % 400}`).join(" ");
  return openMap(visit, `/?tab=map&${SMALL}${more}#${encodeURIComponent(JSON.stringify({ text }))}`);
}

/** Waits until all that is seen has come and is drawn. */
export const rest = (page) =>
  page.until(() => {
    assert.ok(!page.one(".map-box").matches(".pending"));
    assert.ok(picture(page).length > 0);
  });

export const plot = (page) => page.one(".map-plot");
export const mapCanvas = (page) => page.one(".map-plot canvas");
export const picture = (page) => pictureOf(mapCanvas(page));
export const readout = (page) => page.one(".map-box .readout");

/** A menu over the map, by its label. @param {string} name */
export const menu = (page, name) => page.in(page.one("#panel-map .choices")).getByLabelText(new RegExp(`^${name}`));

/** Waits until the map of a head is drawn. @param {string} head */
export const showsHead = (page, head) => page.until(() => assert.equal(mapCanvas(page).dataset.head, head));

/** Takes the keys to a cell. @param {number} row @param {number} col */
export async function walkTo(page, row, col) {
  plot(page).focus();
  const times = (key, count) => (count ? `{${key}>${count}/}` : "");
  await page.user.keyboard(`{Home}${times("ArrowUp", 12)}${times("ArrowDown", row)}${times("ArrowRight", col)}`);
}

/** Waits until the cell under the hand reads so. @param {string | RegExp} number @param {string | RegExp} [tokens] */
export function reads(page, number, tokens) {
  const same = (found, wanted) =>
    wanted instanceof RegExp ? assert.match(found, wanted) : assert.equal(found, wanted);
  return page.until(() => {
    same(page.one("b", readout(page)).textContent, number);
    if (tokens) same(page.one("span", readout(page)).textContent, tokens);
    assert.ok(readout(page).checkVisibility());
  });
}
