/**
 * The map that is drawn and the one that comes: what is drawn stays until the next can take its place as a whole, so
 * that nothing flashes when another head, stage or colour is chosen.
 */

import { encodes } from "../core/answer.js";
import { comeApart } from "../core/token-windows.js";
import { Problem, onProblem } from "../core/api.js";
import { bodyOf } from "../core/question.js";
import { stageOf } from "../core/page.js";
import { leftOut, skipOf } from "../core/left-out-keys.js";
import { mergingOf } from "../core/word-lens.js";
import { Memory, newest, rememberedBy } from "../lib/newest.js";
import { longer } from "../lib/retry.js";
import { AxisTokens } from "./axis-tokens.js";
import { Blocks } from "./blocks.js";
import { spacingOf, valuesOf } from "./coding.js";
import { blockOf, extentOf, pictureOf, tokensIn } from "./map-replies.js";
import { levelFor, nameOf, tilesOn } from "./pyramid.js";
import { TileStore } from "./tile-store.js";

/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Store} Store */
/** @typedef {import("./map-replies.js").Extent} Extent */
/** @typedef {import("./map-replies.js").Named} Named */
/** @typedef {import("./map-replies.js").Selected} Selected */
/** @typedef {import("./placing.js").Span} Span */
/** @typedef {import("./pyramid.js").Tile} Tile */

/**
 * One map as it is drawn.
 * @typedef {Object} Sheet
 * @property {string} key its name, with how cells are summed up and coded
 * @property {string} base its name alone
 * @property {Named} named
 * @property {Selected} selected
 * @property {import("../core/page.js").Stage} stage
 * @property {"mean" | "max"} reduce
 * @property {import("./coding.js").Spacing} spacing of its codes
 * @property {number[]} left keys that its weights are without
 * @property {Extent} extent
 * @property {{rows: number, cols: number}} size
 * @property {Float64Array} values of the codes
 * @property {Blocks} blocks
 * @property {{query: AxisTokens, key: AxisTokens}} tokens
 */

const KEPT = 32; // extents
const REACH = 16; // parts of the tokens that may be on their way
const LONGEST = 600; // ms that a whole picture is waited for, once there is a coarse one
const PASSING = ["offline", "busy", "rate_limited"];

export class Sheets {
  /**
   * @param {Store} store
   * @param {Object} tell
   * @param {() => void} tell.changed something else is to be drawn
   * @param {(progress: import("./map-replies.js").Progress | null) => void} tell.told how far a map has been read
   * @param {(problem: Problem | null) => void} tell.ails
   */
  constructor(store, { changed, told, ails }) {
    this.store = store;
    this.changed = changed;
    this.told = told;
    this.ails = ails;
    /** @type {Sheet | null} */
    this.shown = null;
    /** @type {Sheet | null} */
    this.next = null;
    /** @type {string | null} the key of the current map, measured or not */
    this.sought = null;
    this.base = ""; // of the current map, in any coding
    this.since = 0; // when the next was measured
    this.pause = 0; // seconds
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.tiles = new TileStore(changed, ails);
    /** @type {Memory<Extent>} by base */
    this.extents = new Memory(KEPT);
    this.requests = newest(
      (/** @type {Extent | null} */ extent) => extent && this.measured(extent),
      onProblem((problem) => this.fail(problem)),
    );
  }

  /** Follows the view of a state. @param {State} state with an answer @returns {void} */
  turnTo(state) {
    const { key, base, named, selected } = namesOf(state);
    if (key === this.sought) return;
    this.sought = key;
    this.base = base;
    clearTimeout(this.timer);
    this.next = null;
    if (this.shown?.key === key) {
      this.requests.drop();
      this.told(null);
      return this.changed();
    }
    const extent = this.extents.get(base);
    if (extent) this.requests.drop();
    if (extent) return this.measured(extent);
    const told = comeApart(/** @type {import("../core/answer.js").Answer} */ (state.answer).reply) ? this.told : null;
    this.requests.want(base, (signal) => extentOf(named, selected, told, signal));
  }

  /** @param {Extent} extent @returns {void} */
  measured(extent) {
    const state = this.store.get();
    if (!state.answer) return;
    this.told(null);
    if (this.pause) this.ails(null);
    this.pause = 0;
    const sheet = this.sheetOf(state, extent);
    this.extents.set(sheet.base, extent);
    if (sheet.key !== this.sought) return this.turnTo(state);
    this.next = sheet;
    this.since = performance.now();
    this.changed();
  }

  /** @param {Problem} problem */
  fail(problem) {
    this.told(null);
    this.requests.drop();
    this.ails(problem);
    if (!PASSING.includes(problem.code) && problem.status < 500) return;
    this.pause = longer(this.pause);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.again(), 1000 * this.pause);
  }

  /** Asks again for what did not come. */
  again() {
    const state = this.store.get();
    const missing = this.next === null && this.shown?.key !== this.sought;
    this.tiles.again();
    if (!missing || !state.answer) return;
    this.sought = null;
    this.turnTo(state);
  }

  /** @param {State} state @param {Extent} extent @returns {Sheet} */
  sheetOf(state, extent) {
    const names = namesOf(state);
    const { named, selected } = names;
    const size = { rows: extent.n, cols: extent.m };
    const { reply } = /** @type {import("../core/answer.js").Answer} */ (state.answer);
    const once = rememberedBy(REACH); // queries and keys are often the same tokens
    const tokensOf = (/** @type {"query" | "key"} */ axis) => {
      const context = encodes(reply, selected.layer) || (axis === "key" && reply.context_lengths !== null);
      const of = { batch: selected.batch, context };
      const ask = (/** @type {[number, number]} */ span) =>
        once(`${context} ${span}`, () => tokensIn(named, of, span, new AbortController().signal));
      return new AxisTokens(reply, axis, selected.batch, ask, this.changed);
    };
    const known = [this.shown, this.next].find((sheet) => sheet?.base === names.base);
    return {
      ...names,
      stage: stageOf(this.store.page, selected.stage),
      reduce: state.view.reduce,
      extent,
      size,
      values: valuesOf({ low: extent.min, high: extent.max, spacing: names.spacing }),
      blocks: known?.blocks ?? new Blocks((span, signal) => blockOf(named, selected, span, signal), size, this.changed),
      tokens: known?.tokens ?? { query: tokensOf("query"), key: tokensOf("key") },
    };
  }

  /**
   * Asks for the tiles of what is seen, the coarsest first; of the sheet that comes where there is one.
   * @param {Sheet} sheet
   * @param {Span} span
   * @param {number} pixels of the screen along a cell
   */
  want(sheet, span, pixels) {
    const { levels } = sheet.extent;
    const z = levelFor(levels, pixels);
    const tiles = tilesOn(levels, z, span);
    const all = z ? [{ z: 0, row: 0, col: 0 }, ...tiles] : tiles;
    const { named, selected, reduce, spacing } = sheet;
    const ask = (/** @type {Tile} */ tile) => (/** @type {AbortSignal} */ signal) =>
      pictureOf(named, selected, tile, { reduce, spacing }, signal);
    this.tiles.want(all.map((tile) => ({ name: tileName(sheet, tile), ask: ask(tile) })));
  }

  /** Whether the sheet that comes can take the place of the one that is drawn. */
  get isReady() {
    if (!this.next || !this.shown) return this.next !== null;
    const coarse = this.tiles.get(tileName(this.next, { z: 0, row: 0, col: 0 }));
    return !this.tiles.waits || (coarse !== undefined && performance.now() - this.since > LONGEST);
  }

  /** Whether something visible is still to come. */
  get waits() {
    return this.shown?.key !== this.sought || this.tiles.waits;
  }

  /** Whether the drawn map is not the current one: of another text, head or stage. */
  get isOld() {
    return this.shown !== null && this.shown.base !== this.base;
  }

  /** Draws the sheet that came from now on. @returns {Sheet} */
  show() {
    const sheet = /** @type {Sheet} */ (this.next);
    if (this.shown && this.shown.blocks !== sheet.blocks) this.shown.blocks.destroy();
    this.shown = sheet;
    this.next = null;
    return sheet;
  }

  destroy() {
    clearTimeout(this.timer);
    this.requests.drop();
    this.tiles.destroy();
    this.shown?.blocks.destroy();
  }
}

/** @param {Sheet} sheet @param {Tile} tile */
export const tileName = (sheet, tile) => `${sheet.key} ${nameOf(tile)}`;

/** @param {State} state with an answer */
export function namesOf(state) {
  const { view, answer, question } = state;
  const { trace, shape } = /** @type {import("../core/answer.js").Answer} */ (answer).reply;
  const selected = { stage: view.map, layer: view.layer, head: view.head, batch: view.batch };
  const skip = skipOf(state);
  const ways = { ...mergingOf(state), ...(skip && { skip }) };
  const base = [trace, ...Object.values({ ...selected, ...ways })].join(" ");
  const spacing = spacingOf(view.map === "weights", view.ramp, shape.m);
  const named = { trace, question: bodyOf(question), ways };
  return { key: `${base} ${view.reduce} ${spacing}`, base, named, selected, spacing, left: leftOut(state) };
}
