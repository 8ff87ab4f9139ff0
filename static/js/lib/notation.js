/** @type {Record<string, string>} */
export const SYMBOLS = { w_q: "W_Q", w_k: "W_K", w_v: "W_V", w_o: "W_O", w_qk: "W_Q W_Kᵀ", w_vo: "W_V W_O" };

/** @param {number[]} shape */
export const shapeText = (shape) => shape.join(" × ");

/** Writes W_Q, b_K … with subscripts. @param {string} text @returns {Node[]} */
export function typeset(text) {
  return text.split(/\b(?=[Wb]_[A-Z])|(?<=[Wb]_[A-Z])/).map((part) => {
    if (!/^[Wb]_[A-Z]$/.test(part)) return new Text(part);
    const [letter, low] = [document.createElement("span"), document.createElement("sub")];
    low.textContent = part[2];
    letter.append(part[0], low);
    return letter;
  });
}
