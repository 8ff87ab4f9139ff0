import { stageOf } from "../core/page.js";
import { pictureOf } from "../core/picture.js";
import { h } from "../lib/dom.js";
import { isClosed } from "../lib/paint.js";

/** @import {Difference, Selection} from "./difference.js" */

/** @param {State} state */
export const differenceIn = ({ answer }) => /** @type {Difference | null} */ (/** @type {unknown} */ (answer));

/**
 * Null if the cell is closed, undefined if it does not exist.
 * @param {Picture | null} picture @param {RowCol | null | undefined} at
 */
export function valueIn(picture, at) {
  if (!picture || !at || at.row >= picture.rows || at.col >= picture.cols) return undefined;
  return isClosed(picture, at.row, at.col) ? null : picture.values[at.row * picture.cols + at.col];
}

/** @param {Difference} difference @param {Cell} cell @param {Selection} place */
export function bothValues(difference, cell, place) {
  const { page, a, b } = difference;
  const stage = stageOf(page, cell.stage);
  const read = (/** @type {Answer} */ answer, /** @type {import("./difference.js").Side} */ side) =>
    valueIn(pictureOf(page, answer, stage, place), difference.toSide(cell, side, place.batch));
  return { a: read(a, "a"), b: read(b, "b") };
}

/**
 * @param {{of?: string, label: Child | Child[], value: Child}[]} values
 */
export const valueRows = (values) =>
  values.map(({ of, label, value }) =>
    h("div", { "data-of": of }, h("dt", {}, label), h("dd", { translate: "no" }, value)),
  );
