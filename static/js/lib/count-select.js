import { setOptions } from "./select.js";

/**
 * @param {HTMLSelectElement} control @param {number} size @param {number} now @param {(index: number) => string} nameOf
 */
export const offerIndices = (control, size, now, nameOf) => setOptions(control, [...Array(size).keys()], now, nameOf);
