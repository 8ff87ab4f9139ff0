/** What the tests of changed questions share: the number of the pinned cell, the gate, the picture of a change. */

import assert from "node:assert/strict";
import { alike, cellColors, pictureOf, stageCells } from "./cells.js";
import { ATTENTION, openExplore } from "./explore.js";

/** @typedef {import("./explore.js").Explore} Explore */

/** The text field of the pinned number, once a number can be typed. @param {Explore} page @returns {Promise<any>} */
export function typed(page) {
  return page.until(() => {
    const field = fieldOf(page);
    assert.ok(!field.disabled && field.value !== "", `never typed: ${field.outerHTML}`);
    return field;
  });
}

/** @param {Explore} page @returns {any} */
export const fieldOf = (page) => page.one("#number input");

/** Waits until the pinned number is written so. @param {Explore} page @param {string} text */
export const isTyped = (page, text) => page.until(() => assert.equal(fieldOf(page).value, text));

/** Opens a page whose address pins a number that can be typed. @param {any} test @param {string} address */
export async function openTyped(test, address) {
  const page = await openExplore(test, address);
  await typed(page);
  return page;
}

/** Types a number in place of the pinned one: the question it makes. @param {Explore} page @param {string} text */
export async function type(page, text) {
  const field = await typed(page);
  return page.ask(() => page.fill(field, text));
}

/** The chip of a token, of the sentence or of the context. @param {Explore} page @param {string} token @returns {any} */
export const chip = (page, token) =>
  page.all(".chip").find(({ textContent }) => new RegExp(`^${token}\\d+$`).test(textContent));

/** Types another token in place of one: the question it makes. @param {Explore} page @param {string} token @param {string} by */
export async function retype(page, token, by) {
  await page.until(() => assert.ok(chip(page, token)));
  await page.user.dblClick(chip(page, token));
  const field = await page.see(".retype");
  assert.equal(field.getAttribute("aria-label"), `In place of ${token}`);
  await page.fill(field, by);
  return page.ask(() => page.user.keyboard("{Enter}"));
}

/** A stage of the first layer of the answer to a question. @param {Explore} page @param {object} body @param {string} stage */
export async function numbers(page, body, stage) {
  return (await page.answer(body)).layers[0][stage];
}

/** A button of the bar of changes. @param {Explore} page @param {RegExp | string} name */
export const tool = (page, name) => page.button(name, page.one("#change"));

/** @param {Explore} page */
export const undo = async (page) => page.click(await page.until(() => tool(page, /^Undo/)));

/** @param {Explore} page */
export const redo = async (page) => page.click(await page.until(() => tool(page, /^Redo/)));

/** Shows what the last step changed, or ends that. @param {Explore} page */
export const showChange = async (page) => page.click(await page.until(() => tool(page, "Show change")));

/**
 * The cells of a stage now, and as now − before.
 * @param {Explore} page
 * @param {object} before a question
 * @param {object} now a question
 * @param {string} stage
 * @param {{layer?: number, head?: number}} [place]
 */
export async function cellsOf(page, before, now, stage, { layer = 0, head = 0 } = {}) {
  const [was, is] = await Promise.all([before, now].map((body) => page.answer(body)));
  const [one, other] = [was, is].map((reply) => stageCells(reply, stage, { layer, head, batch: 0 }));
  const delta = other.map((line, row) =>
    line.map((value, col) => (value === null || one[row][col] === null ? null : value - one[row][col])),
  );
  return { was: one, is: other, delta };
}

/** The largest size of some cells. @param {(number | null)[][]} cells */
export const sizeOf = (cells) => Math.max(...cells.flat().map((value) => Math.abs(value ?? 0)));

/**
 * Waits until a canvas has the colours of a change, centred on zero.
 * @param {Explore} page
 * @param {string} selector of the canvas
 * @param {(number | null)[][]} cells
 * @param {number} [size] the end of the scale
 */
export function drawsChange(page, selector, cells, size = sizeOf(cells)) {
  const wanted = cellColors(cells, [[size]], page.pageData().colors.light);
  return page.until(() => assert.ok(alike(pictureOf(page.one(selector)), wanted), selector));
}

/** A picture of the change in the card of a stage. @param {string} stage */
export const changeIn = (stage) => `[data-stage="${stage}"] .change canvas[data-layer][data-head]`;

/** Holds requests until it is opened. */
export class Gate {
  /** @type {(() => void)[]} */
  held = [];
  shut = true;

  /**
   * @param {Explore} page
   * @param {RegExp} [path] of the requests; the questions
   * @param {(asked: {body: any}) => boolean} [matches] which of them
   */
  constructor(page, path = new RegExp(`^${ATTENTION}$`), matches = () => true) {
    this.page = page;
    page.route(path, (asked, signal) => (this.shut && matches(asked) ? this.hold(signal) : null));
  }

  /** @param {AbortSignal} signal */
  hold(signal) {
    return new Promise((resolve, reject) => {
      this.held.push(() => resolve(null));
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  }

  /** Waits until a request is held. */
  reached() {
    return this.page.until(() => assert.ok(this.held.length));
  }

  open() {
    this.shut = false;
    for (const go of this.held.splice(0)) go();
  }
}

/** A number as the page writes it: a true minus sign. @param {number} value */
const written = (value) => value.toFixed(3).replace("-", "−");

/** A number before, now, and its change, as they are written. @param {number} was @param {number} value */
export function writtenChange(was, value) {
  return { was: written(was), value: written(value), by: (value > was ? "+" : "") + written(value - was) };
}

/** The field of the scale among the options. @param {Explore} page */
export async function chooseScale(page, label) {
  await page.drawer();
  const scale = page.in(page.one("#options")).getByRole("combobox", { name: "Scale" });
  const { value } = [...scale.options].find((option) => option.label === label);
  return page.ask(() => page.choose(scale, value));
}

/** Waits until an element's text has a part. @param {Explore} page @param {string} selector @param {string | RegExp} part */
export const says = (page, selector, part) =>
  page.until(() => {
    const { textContent } = page.one(selector);
    assert.ok(typeof part === "string" ? textContent.includes(part) : part.test(textContent), textContent);
  });
