/** Named elements through which features add to each other's parts, in any order. */

import { h } from "./dom.js";

/** @typedef {(name: string) => HTMLElement} Slots one element a name, without a box (display: contents) */

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
