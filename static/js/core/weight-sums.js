import { isClosed, valueAt } from "../lib/paint.js";
import { chosenHeads, combinedPicture } from "./combined-heads.js";
import { leftOutKeys } from "./left-out-keys.js";
import { stageOf } from "./page.js";
import { pictureOf } from "./picture.js";
import { selection } from "./state.js";

const PAST = ["heads", "lines"]; // tabs that leave out keys

/** @typedef {NonNullable<ReturnType<typeof sumsOf>>} Sums */

/** @param {Page} page @param {State} state */
export function weightsInView(page, state) {
  const alone = state.view.tab === "stages" || chosenHeads(state).length === 1;
  const seen = state.view.tab === "stages" ? null : combinedPicture(state);
  const past = PAST.includes(state.view.tab) && leftOutKeys(state).length > 0;
  if (seen || !alone || !state.answer || past) return seen;
  return pictureOf(page, state.answer, stageOf(page, "weights"), selection(state));
}

/**
 * For each open token of the other axis, sums the weights of the picked tokens. `entropy`: of the sums / `total`, in
 * nats. Null until the numbers arrive.
 * @param {Picture} picture @param {Axis} axis of the picked tokens @param {number[]} picked @param {string} reader
 */
export function sumsOf(picture, axis, picked, reader) {
  const [own, others] = axis === "query" ? [picture.rows, picture.cols] : [picture.cols, picture.rows];
  const tokens = picked.filter((token) => token < own);
  if (picture.coarse && !picture.coarse.readLines(reader, axis, tokens)) return null;
  const entries = [];
  for (let at = 0; at < others; at++) {
    let open = false;
    let weight = 0;
    for (const token of tokens) {
      const [row, col] = axis === "query" ? [token, at] : [at, token];
      if (isClosed(picture, row, col)) continue;
      open = true;
      weight += valueAt(picture, row, col);
    }
    if (open) entries.push({ at, weight });
  }
  const total = entries.reduce((sum, { weight }) => sum + weight, 0);
  const shares = entries.map(({ weight }) => weight / total);
  const entropy = shares.reduce((sum, share) => sum - (share > 0 ? share * Math.log(share) : 0), 0);
  return { entries, total, entropy };
}
