import { isClosed, valueAt } from "../lib/paint.js";
import { wordsOf } from "./answer.js";
import { stageOf } from "./page.js";
import { pictureOf } from "./picture.js";
import { selection } from "./state.js";

const PRONOUN = { query: "it", key: "animal" }; // in the default sentence

/** Cell where the walkthrough starts; null without an answer. @param {Store} store @param {State} state */
export function firstCell(store, state) {
  return pronoun(state) ?? strongest(store, state);
}

/** @param {State} state */
function pronoun({ answer, view }) {
  const at = (/** @type {Axis} */ axis) =>
    answer ? (wordsOf(answer.reply, axis).tokens?.[view.batch] ?? []).indexOf(PRONOUN[axis]) : -1;
  const [row, col] = [at("query"), at("key")];
  return row >= 0 && col >= 0 ? { row, col } : null;
}

/** Cell of the last query's largest weight; not its own key. @param {Store} store @param {State} state */
function strongest(store, state) {
  const { answer } = state;
  const picture = answer && pictureOf(store.page, answer, stageOf(store.page, "weights"), selection(state));
  if (!picture) return null;
  const row = Math.min(picture.rows, picture.realRows ?? picture.rows) - 1;
  let best = { row, col: Math.min(row, picture.cols - 1) };
  let most = -1;
  for (let col = 0; col < picture.cols; col++) {
    const weight = valueAt(picture, row, col);
    if ((col === row && !answer?.reply.context_lengths) || isClosed(picture, row, col) || weight <= most) continue;
    most = weight;
    best = { row, col };
  }
  return best;
}
