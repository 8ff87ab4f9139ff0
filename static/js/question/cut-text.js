/** A text that is longer than its model takes ends where the refusal says. */

import { ask } from "../core/actions.js";
import { find, h } from "../lib/dom.js";

/**
 * @param {import("../core/state.js").Store} store
 * @param {import("./text-box.js").Side["field"]} field
 * @param {{at: string | null, end?: number}} refusal
 */
export function cutButton(store, field, { at, end = 0 }) {
  const cut = () => {
    find(`#${field}`).focus({ preventScroll: true }); // the button goes with what it stands beside
    ask(store, field, cutText(store.get().question[field] ?? "", lineOf(at), end));
  };
  return h("button", { type: "button", class: "link", onclick: cut }, store.t("text.cut"));
}

/** Which sentence of a batch is too long: "text[2]"; "text" is the only one. @param {string | null} at */
export const lineOf = (at) => Number(at?.match(/\[(\d+)\]$/)?.[1] ?? 0);

/**
 * The box as typed, one of its sentences cut.
 * @param {string} text
 * @param {number} sentence among the lines that are not blank
 * @param {number} end in characters of Unicode
 */
export function cutText(text, sentence, end) {
  const lines = text.split("\n");
  const written = lines.flatMap((line, at) => (line.trim() === "" ? [] : [at]));
  const at = written[sentence];
  return lines.map((line, each) => (each === at ? [...line].slice(0, end).join("") : line)).join("\n");
}
