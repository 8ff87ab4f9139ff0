/** The tab of gradients as the tests use it: its pictures, and the derivatives that the engine computes. */

import assert from "node:assert/strict";
import { alike, cellColors, pictureOf } from "./cells.js";

/** @typedef {import("./explore.js").Explore} Explore */

export const GRADIENTS = /\/gradients\?/; // a path that requests derivatives

/** @param {Explore} page @returns {any} */
export const panel = (page) => page.one("#panel-gradients");

/** The canvas of a stage or parameter. @param {Explore} page @param {string} stage @returns {any} */
export const picture = (page, stage) =>
  page.one(`#panel-gradients [data-stage="${stage}"] canvas[data-layer][data-head]`);

/** The choice of what is derived. @param {Explore} page */
export const choices = (page) => page.in(page.one("[role=group]", panel(page)));

/** @param {import("./one-page.js").Visit} visit @param {string} [more] of the address */
export async function openGradients(visit, more = "") {
  const page = await visit(`/?tab=gradients${more}`);
  await derived(page);
  return page;
}

/** Waits for the first pictures, and for the scripts that come after them. @param {Explore} page */
export async function derived(page) {
  await page.until(() => assert.ok(picture(page, "x")));
  await page.whole();
}

/** The derivatives of an objective, past the page. @param {Explore} page @param {object} objective */
export async function derivatives(page, objective) {
  const { trace } = await page.answer();
  return page.json(`/api/v1/traces/${trace}/gradients`, { objective });
}

/** @param {any} reply @param {string} stage @returns {number[][]} */
export function cellsOf(reply, stage, { layer = 0, head = 0 } = {}) {
  const [cells] = reply.layers[layer][stage];
  return Array.isArray(cells[0][0]) ? cells[head] : cells;
}

/** Waits until every cell has the colour of its number, zero in the middle. @param {Explore} page @param {string} stage @param {(number | null)[][]} cells */
export function shows(page, stage, cells) {
  const wanted = cellColors(cells, cells, page.pageData().colors.light);
  return page.until(() => assert.ok(alike(pictureOf(picture(page, stage)), wanted), `the derivatives of ${stage}`));
}
