/** What a hand changes in the numbers: the question takes them over, and is asked. */

import { withoutHead } from "./dropping.js";
import { explicitOf, isParameter, obstacleOf, withNumber, withX } from "./editing.js";
import { parametersOf } from "./parameters.js";

/** @typedef {import("./answered.js").Answered} Answered */
/** @typedef {import("./question.js").Question} Question */
/** @typedef {import("./state.js").Store} Store */
/** @typedef {import("./steps.js").Steps} Steps */
/** @typedef {import("../lib/store.js").How} How */

/** @typedef {{store: Store, steps: Steps, answered: Answered}} Bench what an edit is made with */

/**
 * The present question with its numbers written out: x, or the parameters of an explicit model.
 * @param {Bench} bench
 * @param {string} tensor
 * @returns {Promise<Question | null>} null where that is not possible
 * @throws {import("./api.js").Problem}
 */
export async function inNumbers({ store, answered }, tensor) {
  for (;;) {
    const { question } = store.get();
    if (isParameter(tensor) ? question.model.source === "explicit" : question.x) return question;
    const answer = await answered.now();
    const state = store.get();
    if (!answer || answered.of(state.question) !== answer) {
      if (!answer) return null;
      continue; // the question changed in the meantime
    }
    if (!isParameter(tensor)) return withX(state.question, answer);
    if (obstacleOf(state.question, answer)) return null;
    const parameters = await parametersOf(state, 0);
    if (store.get().question === state.question) return explicitOf(store.page, state.question, answer, parameters);
  }
}

/**
 * @param {Bench} bench
 * @param {import("./editing.js").Place} place
 * @param {number} value
 * @param {How} [how]
 */
export async function setNumber(bench, place, value, how) {
  const question = await inNumbers(bench, place.tensor);
  if (question) bench.store.set({ question: withNumber(question, place, value) }, how);
}

/**
 * Sets to zero what a head adds to the output.
 * @param {Bench} bench
 * @param {number} head
 * @returns {Promise<Question | null>} null where the parameters cannot be written out
 */
export async function dropHead(bench, head) {
  const question = await inNumbers(bench, "w_o");
  const next = question && withoutHead(question, head);
  if (next) bench.store.set({ question: next });
  return next;
}
