import { memoize } from "../lib/newest.js";
import { rowsOf } from "../lib/rows.js";
import { Answer } from "./answer.js";
import { attention } from "./api.js";
import { MATRICES, bodyOf } from "./question.js";

/** @typedef {Record<string, number[] | number[][]>} Parameters */

const KEPT = 4;

/** @type {ReturnType<typeof memoize<Parameters>>} */
const parametersByLayer = memoize(KEPT);

/** @param {State} state @param {number} layer @returns {Promise<Parameters>} @throws {Problem} */
export function parametersOf({ question, answer }, layer) {
  if (question.model.source === "explicit") {
    const given = MATRICES.filter((name) => question.model[name]);
    return Promise.resolve(Object.fromEntries(given.map((name) => [name, question.model[name]])));
  }
  return parametersByLayer(`${answer?.reply.trace} ${layer}`, () => fetchParameters(bodyOf(question), layer));
}

/** @param {Record<string, unknown>} question @param {number} layer */
async function fetchParameters(question, layer) {
  const body = { ...question, stages: [], layers: [layer], parameters: true };
  const { tensors } = new Answer(await attention(body, new AbortController().signal), null);
  const start = `layers.${layer}.`;
  /** @type {Parameters} */
  const found = {};
  for (const [path, { shape, values }] of tensors) {
    if (path.startsWith(start))
      found[path.slice(start.length)] = shape.length > 1 ? rowsOf(values, shape[1]) : [...values];
  }
  return found;
}
