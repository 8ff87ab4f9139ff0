/** Null for other operations. @param {ExplanationStep} step */
export function rowTimesColumn({ operands, left, right, bias }) {
  if (!left || !right) return null;
  return {
    left: operands.slice(...left),
    right: operands.slice(...right),
    bias: bias === null ? null : operands[bias],
  };
}
