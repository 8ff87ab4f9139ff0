/**
 * Fetches operands that no answer contains: columns of w_q and w_o. Requests exact rows and columns if the answer has
 * quantised pictures.
 */

import { onProblem } from "../core/api.js";
import { bodyOf } from "../core/question.js";
import { requestCell } from "../core/traces.js";
import { newest } from "../lib/newest.js";
import { picture } from "./timeline.js";

export class CellExplanation {
  /** @param {() => void} arrived */
  constructor(arrived) {
    /** @type {Explanation | null} */
    this.explanation = null;
    this.request = newest(
      (/** @type {Explanation} */ explanation) => {
        this.explanation = explanation;
        arrived();
      },
      onProblem(() => {}), // after errors, chapters draw strips instead
    );
  }

  /**
   * Null while pending or after errors.
   * @param {State} state @param {{stage: string, head: number, row: number, col: number}} of
   */
  of(state, { stage, ...cellOf }) {
    const { answer, view } = state;
    if (!answer) return null;
    const place = { batch: view.batch, layer: view.layer, ...cellOf };
    const key = JSON.stringify([answer.reply.trace, stage, place]);
    this.request.want(key, (signal) => {
      this.explanation = null;
      return requestCell(answer.reply.trace, stage, place, bodyOf(state.question), signal);
    });
    return this.explanation;
  }

  forget() {
    this.request.drop();
    this.explanation = null;
  }
}

const OF_QUERY = ["x", "q", "scores", "scaled_scores", "masked_scores", "weights", "head_outputs", "concat", "output"];

/**
 * @param {Store} store @param {State} state @param {import("./timeline.js").Subject} subject
 * @returns whether none is missing
 */
export function requestOperands(store, state, { row, col, feature }) {
  const { numbers, reply } = /** @type {Answer} */ (state.answer);
  if (!numbers) return true;
  const source = reply.context_lengths ? "context" : "x";
  const lines = /** @type {[string, "query" | "key", number][]} */ ([
    ...OF_QUERY.map((stage) => [stage, "query", row]),
    [source, "query", col],
    ["k", "query", col],
    ["v", "key", feature],
  ]);
  const pictures = lines.map(([stage]) => picture(store, state, stage)?.coarse);
  if (!pictures.every(Boolean)) return false; // the pictures are for another tab
  const regions = lines.flatMap(([, axis, at], index) => pictures[index]?.linesAt(axis, [at]) ?? []);
  return numbers.want("operands", /** @type {import("../core/exact-numbers.js").Region[]} */ (regions));
}
