/** Menus that choose what is looked at. */

import { fill, h } from "../lib/dom.js";

/** @param {(value: string) => void} choose */
export function choice(choose) {
  const control = h("select", { onchange: () => choose(control.value) });
  return control;
}

/**
 * Offers so many places by name, and shows which it is now.
 * @param {HTMLSelectElement} control
 * @param {number} size
 * @param {number} now
 * @param {(index: number) => string} nameOf
 */
export function count(control, size, now, nameOf) {
  const names = Array.from({ length: size }, (_, index) => nameOf(index));
  const same = control.options.length === size && names.every((name, index) => control.options[index].text === name);
  if (!same) fill(control, names.map((name, index) => h("option", { value: index }, name)));
  control.value = String(now);
}
