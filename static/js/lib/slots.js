/**
 * Named elements through which one feature adds to another's part. The drawing feature places the element at each
 * redraw, the adding feature fills it; neither reads the other's elements, and their order does not matter.
 */

import { h } from "./dom.js";

/** @typedef {(name: string) => HTMLElement} Slots the same element for a name; it has no box (display: contents) */

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
