/** Named elements, which one feature places and another fills, in either order. */

import { h } from "./dom.js";

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
