import { replyAt, wholeOf } from "./answer.js";
import { spansOf } from "./word-answer.js";
import { inWords } from "./in-words.js";

const PIECES = ["gradients", "parameters", "worth", "decode", "lab"];

/** @param {State["view"]["tab"]} tab */
export const countsPieces = (tab) => PIECES.includes(tab);

/** Cells of pieces that words draw as one cell, else `cell` alone. @param {State} state @param {Cell} cell */
export function cellsOfPieces(state, cell) {
  const { answer, view } = state;
  const words = cell.stage === "weights" && !countsPieces(view.tab) && !answer?.reply.merged;
  if (!answer || !words || !inWords(state).answer?.reply.merged) return [cell];
  const reply = replyAt(wholeOf(answer.reply), view.layer);
  const pieces = (/** @type {string} */ axis, /** @type {number} */ at) => {
    const [from, to] = spansOf(reply, axis)?.[view.batch]?.find(([, end]) => at < end) ?? [at, at + 1];
    return Array.from({ length: to - from }, (_, piece) => from + piece);
  };
  const cols = pieces("key", cell.col);
  return pieces("query", cell.row).flatMap((row) => cols.map((col) => ({ ...cell, row, col })));
}
