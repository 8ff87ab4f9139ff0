import { offer } from "./select.js";

/**
 * @param {HTMLSelectElement} control @param {number} size @param {number} now @param {(index: number) => string} nameOf
 */
export function count(control, size, now, nameOf) {
  offer(
    control,
    Array.from({ length: size }, (_, index) => index),
    now,
    nameOf,
  );
}
