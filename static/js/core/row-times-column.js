/** A step of an explanation that is a row times a column: which of its operands are which. */

/** @typedef {import("./state.js").Operand} Operand */

/**
 * The operands of both sides, and the bias that is added; null where the step is no such product.
 * @param {import("./state.js").Step} step
 * @returns {{left: Operand[], right: Operand[], bias: Operand | null} | null}
 */
export function rowTimesColumn({ operands, left, right, bias }) {
  if (!left || !right) return null;
  return {
    left: operands.slice(...left),
    right: operands.slice(...right),
    bias: bias === null ? null : operands[bias],
  };
}
