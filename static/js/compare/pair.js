import { Difference } from "../difference/difference.js";
import { repeatsOutput } from "../core/state.js";
import { answersOf, areWords } from "./words.js";

/** @typedef {import("../difference/difference.js").Align} Align */

/**
 * State of Compare. `hover` and `view.cell` are cells of the difference. `of` names the enlarged picture.
 * @typedef {{a: State, b: State, view: View, hover: State["hover"], align: Align,
 * of: import("./three-values.js").Name, theme: string}} Comparison
 */

/** @typedef {StoreOf<Comparison, Page>} PairStore */

export const SIDES = /** @type {const} */ (["a", "b"]);

/** A capture may lack the stage. @param {Answer | null} answer @param {Stage} stage */
export const hasStage = (answer, { name }) => answer?.reply.stages?.includes(name) ?? true;

/** Hides a block output that repeats the output. @param {Comparison} state @param {Stage} stage */
export function showsStage(state, stage) {
  const { a, b } = state;
  if (![a, b].every(({ answer }) => hasStage(answer, stage))) return false;
  if (areWords(state) && stage.name !== "weights") return false; // only weights are defined between words
  const both = [a, b].every(({ answer, status }) => answer && status !== "empty" && status !== "no_upload");
  return both && !(stage.name === "block_output" && repeatsOutput(a) && repeatsOutput(b));
}

/** @type {WeakMap<Answer, WeakMap<Answer, Map<Align, Difference>>>} */
const differences = new WeakMap();

/** @param {Page} page @param {Comparison} state */
export function differenceOf(page, state) {
  const answers = answersOf(state);
  if (!answers) return null;
  const [[a, b], { align }] = [answers, state];
  const others = differences.get(a) ?? new WeakMap();
  differences.set(a, others);
  const aligned = others.get(b) ?? new Map();
  others.set(b, aligned);
  if (!aligned.has(align)) aligned.set(align, new Difference(page, a, b, align));
  return /** @type {Difference} */ (aligned.get(align));
}
