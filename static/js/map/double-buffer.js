/** Keeps a map on screen until the next is ready. */

import { encodes } from "../core/answer.js";
import { inParts } from "../core/token-windows.js";
import { Problem, onProblem } from "../core/api.js";
import { bodyOf } from "../core/question.js";
import { stageOf } from "../core/page.js";
import { leftOutKeys, skipOf } from "../core/left-out-keys.js";
import { mergingOf } from "../core/word-lens.js";
import { Lru, newest, memoize } from "../lib/newest.js";
import { AxisTokens } from "./axis-tokens.js";
import { Blocks } from "./blocks.js";
import { spacingOf, valuesOf } from "./byte-codes.js";
import { blockOf, extentOf, pictureOf, tokensIn } from "./map-replies.js";
import { levelFor, tileAddress, tilesOn } from "./pyramid.js";
import { TileStore } from "./tile-store.js";

const KEPT = 32; // cached extents
const REACH = 16; // cached token requests
const LONGEST = 600; // ms; then the coarsest tile suffices

export class DoubleBuffer {
  /**
   * @param {Store} store @param {Object} tell @param {() => void} tell.changed
   * @param {(progress: Maps.Progress | null) => void} tell.onProgress
   * @param {(problem: Problem | null) => void} tell.ails
   */
  constructor(store, { changed, onProgress, ails }) {
    this.store = store;
    this.changed = changed;
    this.onProgress = onProgress;
    this.reportProblem = ails;
    /** @type {Maps.Sheet | null} */
    this.shown = null;
    /** @type {Maps.Sheet | null} */
    this.next = null;
    /** @type {string | null} */
    this.wantedKey = null;
    this.base = "";
    this.since = 0; // when `next` arrived
    this.failed = false; // the last request of an extent failed
    this.tiles = new TileStore(changed, ails);
    /** @type {Lru<Maps.Extent>} by base */
    this.extents = new Lru(KEPT);
    this.requests = newest(
      (/** @type {Maps.Extent | null} */ extent) => extent && this.takeExtent(extent),
      onProblem((problem) => this.fail(problem)),
    );
  }

  /** @param {State} state */
  turnTo(state) {
    const { key, base, named, selected } = namesOf(state);
    if (key === this.wantedKey) return;
    this.wantedKey = key;
    this.base = base;
    this.next = null;
    if (this.shown?.key === key) {
      this.requests.drop();
      this.onProgress(null);
      return this.changed();
    }
    const extent = this.extents.get(base);
    if (extent) this.requests.drop();
    if (extent) return this.takeExtent(extent);
    const onProgress = inParts(/** @type {Answer} */ (state.answer).reply) ? this.onProgress : null;
    this.requests.want(base, (signal) => extentOf(named, selected, onProgress, signal));
  }

  /** @param {Maps.Extent} extent @returns {void} */
  takeExtent(extent) {
    const state = this.store.get();
    if (!state.answer) return;
    this.onProgress(null);
    if (this.failed) this.reportProblem(null);
    this.failed = false;
    const sheet = this.sheetOf(state, extent);
    this.extents.set(sheet.base, extent);
    if (sheet.key !== this.wantedKey) return this.turnTo(state);
    this.next = sheet;
    this.since = performance.now();
    this.changed();
  }

  /** @param {Problem} problem */
  fail(problem) {
    this.onProgress(null);
    this.requests.drop();
    this.failed = true;
    this.reportProblem(problem);
  }

  retry() {
    const state = this.store.get();
    const missing = this.next === null && this.shown?.key !== this.wantedKey;
    this.tiles.retry();
    if (!missing || !state.answer) return;
    this.wantedKey = null;
    this.turnTo(state);
  }

  /** @param {State} state @param {Maps.Extent} extent @returns {Maps.Sheet} */
  sheetOf(state, extent) {
    const names = namesOf(state);
    const { named, selected } = names;
    const size = { rows: extent.n, cols: extent.m };
    const { reply } = /** @type {Answer} */ (state.answer);
    const once = memoize(REACH); // queries and keys are often the same tokens
    const tokensOf = (/** @type {Axis} */ axis) => {
      const context = encodes(reply, selected.layer) || (axis === "key" && reply.context_lengths !== null);
      const of = { batch: selected.batch, context };
      const ask = (/** @type {Span} */ span) =>
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
   * Requests the coarsest tile, then those of `span`.
   * @param {Maps.Sheet} sheet @param {Maps.Region} span @param {number} pixels device pixels of a cell
   */
  want(sheet, span, pixels) {
    const { levels } = sheet.extent;
    const z = levelFor(levels, pixels);
    const tiles = tilesOn(levels, z, span);
    const all = z ? [{ z: 0, row: 0, col: 0 }, ...tiles] : tiles;
    const { named, selected, reduce, spacing } = sheet;
    const ask = (/** @type {Maps.Tile} */ tile) => (/** @type {AbortSignal} */ signal) =>
      pictureOf(named, selected, tile, { reduce, spacing }, signal);
    this.tiles.want(all.map((tile) => ({ name: tileName(sheet, tile), ask: ask(tile) })));
  }

  get isReady() {
    if (!this.next || !this.shown) return this.next !== null;
    const coarse = this.tiles.get(tileName(this.next, { z: 0, row: 0, col: 0 }));
    return !this.tiles.isPending || (coarse !== undefined && performance.now() - this.since > LONGEST);
  }

  get isPending() {
    return this.shown?.key !== this.wantedKey || this.tiles.isPending;
  }

  get isOld() {
    return this.shown !== null && this.shown.base !== this.base;
  }

  show() {
    const sheet = /** @type {Maps.Sheet} */ (this.next);
    if (this.shown && this.shown.blocks !== sheet.blocks) this.shown.blocks.destroy();
    this.shown = sheet;
    this.next = null;
    return sheet;
  }

  destroy() {
    this.requests.drop();
    this.tiles.destroy();
    this.shown?.blocks.destroy();
  }
}

/** @param {Maps.Sheet} sheet @param {Maps.Tile} tile */
export const tileName = (sheet, tile) => `${sheet.key} ${tileAddress(tile)}`;

/** @param {State} state */
export function namesOf(state) {
  const { view, answer, question } = state;
  const { trace, shape } = /** @type {Answer} */ (answer).reply;
  const selected = { stage: view.map, layer: view.layer, head: view.head, batch: view.batch };
  const skip = skipOf(state);
  const ways = { ...mergingOf(state), ...(skip && { skip }) };
  const base = [trace, ...Object.values({ ...selected, ...ways })].join(" ");
  const spacing = spacingOf(view.map === "weights", view.ramp, shape.m);
  const named = { trace, question: bodyOf(question), ways };
  return { key: `${base} ${view.reduce} ${spacing}`, base, named, selected, spacing, left: leftOutKeys(state) };
}
