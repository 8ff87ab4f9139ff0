/**
 * Places where one feature adds to another's part. A page makes them and passes them to both: the drawing feature puts
 * the element of a name in its place at each redraw, and the adding feature fills it. Neither reads the
 * other's elements, and their order does not matter.
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
