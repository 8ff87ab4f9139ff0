/** The parameters of a layer, which no answer carries: asked for when somebody wants to change them. */

import { Answer } from "./answer.js";
import { attention } from "./api.js";
import { rowsOf } from "./editing.js";
import { MATRICES, bodyOf } from "./question.js";

/** @typedef {import("./editing.js").Parameters} Parameters */
/** @typedef {import("./state.js").State} State */

const KEPT = 4; // layers

/** @type {Map<string, Promise<Parameters>>} by trace and layer */
const asked = new Map();

/**
 * Parameters by name; those the layer does not have are left out.
 * @param {State} state with an answer
 * @param {number} layer
 * @returns {Promise<Parameters>}
 * @throws {import("./api.js").Problem}
 */
export function parametersOf({ question, answer }, layer) {
  if (question.model.source === "explicit") {
    const given = MATRICES.filter((name) => question.model[name]);
    return Promise.resolve(Object.fromEntries(given.map((name) => [name, question.model[name]])));
  }
  const key = `${answer?.reply.trace} ${layer}`;
  const found = asked.get(key) ?? ask(bodyOf(question), layer);
  asked.delete(key);
  asked.set(key, found);
  if (asked.size > KEPT) asked.delete(/** @type {string} */ (asked.keys().next().value));
  found.catch(() => asked.delete(key)); // the next one may have more luck
  return found;
}

/**
 * @param {Record<string, unknown>} question
 * @param {number} layer
 * @returns {Promise<Parameters>}
 */
async function ask(question, layer) {
  const body = { ...question, stages: [], layers: [layer], parameters: true };
  const { tensors } = new Answer(await attention(body, new AbortController().signal), null);
  /** @type {Parameters} */
  const found = {};
  for (const name of MATRICES) {
    const tensor = tensors.get(`layers.${layer}.${name}`);
    if (tensor) found[name] = tensor.shape.length > 1 ? rowsOf(tensor.values, tensor.shape[1]) : [...tensor.values];
  }
  return found;
}
