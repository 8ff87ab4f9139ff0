import { wholeOf } from "../core/answer.js";
import { installedOf, isCausal } from "../core/page.js";
import { isCross } from "../core/question.js";

/** @typedef {{n: number, prefill: number, count: number, at: number, whole: boolean}} Steps */

const MOST = 1_000_000; // numbers in a reply with all steps
const NAMED = 3; // most tokens named

/** The prefill includes the prefix, whose tokens attend to each other. @param {State} state */
export function stepsOf({ answer, question, view }) {
  const { reply } = /** @type {Answer} */ (answer);
  const n = reply.lengths[view.batch];
  const prefill = Math.min(Math.max(view.prefill, prefixOf(question)), n);
  const count = n - Math.max(prefill, 1) + 1;
  const at = Math.min(view.decoded ?? count - 1, count - 1);
  const whole = (n * n * (reply.shape.d_k + reply.shape.d_v + 1)) / 2 <= MOST;
  return { n, prefill, count, at, whole };
}

/** Length of the prefix; 0 if it does not change the mask. @param {Pick<Question, "prefix">} question */
export const prefixOf = ({ prefix }) => (prefix > 1 ? prefix : 0); // every query sees the first key anyway

/** @param {State} state @param {Page} page */
export function obstacleOf({ answer, question }, page) {
  const { context_lengths, attends_to } = answer ? wholeOf(answer.reply) : /** @type {any} */ ({});
  if ((context_lengths && !attends_to) || (isCross(question) && !installedOf(page, question)?.encoder_layers))
    return { why: "decode.crossed", way: "decode.drop_context", field: "context" };
  if (isCausal(page, question)) return null;
  return { why: "decode.sees_ahead", way: "decode.make_causal", field: "causal" };
}

/** Rows of the step's new tokens; null if too many to name. @param {{rows: number[]}} step */
export function tokensMade({ rows: [start, end] }) {
  if (end - start > NAMED) return null;
  return Array.from({ length: end - start }, (_, at) => start + at);
}

/**
 * [from, to) of a step's new keys; the first step adds every key of a context.
 * @param {Pick<Replies.DecodingStep, "cached" | "k">} step
 */
export const keysOf = ({ cached, k }) => [cached, k[0].length];
