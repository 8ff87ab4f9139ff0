/**
 * Places where one feature adds to what another draws. A page makes them and hands them to both: who draws puts
 * the element of a name where it belongs, again whenever it draws anew, and who adds fills it. Neither reads the
 * other's elements, and it does not matter which of them comes first, or whether the other comes at all.
 */

import { h } from "./dom.js";

/** @typedef {(name: string) => HTMLElement} Slots always the same element for a name; it has no box of its own */

/** @returns {Slots} */
export function makeSlots() {
  /** @type {Map<string, HTMLElement>} */
  const made = new Map();
  return (name) => {
    const slot = made.get(name) ?? h("div", { class: "slot" });
    made.set(name, slot);
    return slot;
  };
}
