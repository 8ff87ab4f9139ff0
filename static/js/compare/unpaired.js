import { wordsOf } from "../core/answer.js";
import { repeatsOutput } from "../core/state.js";
import { hasStage } from "./pair.js";

/** @import {Difference, Side} from "../difference/difference.js" */

/** Sizes, each with its first index. */
const SIZES = /** @type {const} */ ([
  ["batch", 1],
  ["num_layers", 0],
  ["num_heads", 0],
  ["d_model", 0],
  ["d_k", 0],
  ["d_v", 0],
]);

/**
 * Indices (`from` to `to`, inclusive) and tokens that the other side lacks.
 * @param {Difference} difference @param {Side} side @param {number} batch
 */
export function unpaired(difference, side, batch) {
  const [own, other] = side === "a" ? [difference.a, difference.b] : [difference.b, difference.a];
  const sizes = SIZES.flatMap(([what, first]) => {
    const [mine, theirs] = [own.reply.shape[what], other.reply.shape[what]];
    return mine > theirs ? [{ what, from: theirs + first, to: mine - 1 + first }] : [];
  });
  const axes = own.reply.context_lengths ? ["query", "key"] : ["query"];
  const tokens = axes.flatMap((axis) => {
    const alone = difference.tokenPairs(batch, axis).filter((pair) => pair[side === "a" ? 1 : 0] === null);
    return alone.map((pair) => {
      const at = /** @type {number} */ (pair[side === "a" ? 0 : 1]);
      return wordsOf(own.reply, axis).tokens?.[batch]?.[at] ?? String(at);
    });
  });
  return tokens.length ? [...sizes, { what: "tokens", tokens }] : sizes;
}

/**
 * Stages that the other side lacks because it is a capture.
 * @param {Page} page @param {import("./pair.js").Comparison} state @param {Side} side
 */
export function stagesAlone({ stages }, state, side) {
  const [own, other] = side === "a" ? [state.a, state.b] : [state.b, state.a];
  if (!own.answer || !other.answer) return [];
  const shown = stages.filter(({ name }) => name !== "block_output" || !repeatsOutput(own));
  return shown.filter((stage) => hasStage(own.answer, stage) && !hasStage(other.answer, stage));
}
