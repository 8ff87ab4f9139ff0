/** Replaces field names in errors by labels. */

import { Problem } from "./api.js";

/** @param {Page} page @param {Question} question @param {Problem} problem */
export function withLabels(page, question, problem) {
  const errors = problem.errors.map(({ at, message, ...more }) => ({
    ...more,
    at: touched(page, question, at),
    message: labelled(page, at, message),
  }));
  const detail = labelled(page, problem.errors[0]?.at, problem.message);
  return new Problem({ ...problem, detail, errors });
}

/**
 * If `num_heads` does not divide `d_model`, the error belongs to the field that was changed.
 * @param {Page} page @param {Question} question @param {string | null} at
 */
function touched({ defaults }, { model }, at) {
  const untouched = model.source === "seeded" && model.num_heads === defaults.model.num_heads;
  return at === "model.num_heads" && untouched ? "model.d_model" : at;
}

/** @param {Page} page @param {string | null | undefined} at @param {string} sentence */
function labelled({ messages }, at, sentence) {
  const label = messages[`field.${at?.split(".").at(-1)}`];
  return at && label && sentence.startsWith(`${at} `) ? `“${label}”${sentence.slice(at.length)}` : sentence;
}
