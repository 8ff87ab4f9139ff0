/** Requests exact rows and columns if the answer has quantised pictures. */

import { picture } from "./timeline.js";

const OF_QUERY = ["x", "q", "scores", "scaled_scores", "masked_scores", "weights", "head_outputs", "concat", "output"];

/**
 * Requests missing operands.
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
  return numbers.want(
    "operands",
    lines.flatMap(([, axis, at], index) => pictures[index]?.linesAt(axis, [at]) ?? []),
  );
}
