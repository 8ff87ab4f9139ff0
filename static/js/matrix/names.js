import { labelsOf } from "../core/answer.js";
import { partsOf } from "../core/pieces.js";

const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";

/** @param {number} index */
export function subscript(index) {
  return [...String(index)].map((digit) => SUBSCRIPTS[Number(digit)]).join("");
}

/** @param {State} state @param {string} axis @param {number} index */
export function nameOf(state, axis, index) {
  if (axis !== "query" && axis !== "key") return axis === "none" ? "" : `${axis} ${index}`;
  const label = state.answer ? labelsOf(state.answer.reply, state.view.batch, axis)[index] : undefined;
  if (!label?.text) return String(index);
  const { word } = partsOf(label.char ?? label.text);
  return label.index === null ? word : word + subscript(label.index);
}

/** @param {Place} place */
export const headName = ({ layer, head }) => `L${layer} H${head}`;

/** @param {Store} store @param {string} stage */
export function labelOf(store, stage) {
  const key = `stage.${stage}`;
  if (key in store.page.messages) return store.t(key);
  // Translate the names of stages in a formula.
  return stage.replace(/[a-z]+_[a-z]+/g, (name) => store.page.messages[`stage.${name}`] ?? name);
}
