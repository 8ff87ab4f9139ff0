/** An input for one number: what is typed counts at once, Enter ends the step, Esc takes it back. */

import { h } from "../lib/dom.js";

/** @typedef {import("../lib/store.js").How} How */
/** @typedef {{input: HTMLInputElement, show: (value: number | null) => void}} Numeral */

const DIGITS = 6;

/** @param {string} text both kinds of minus sign are read */
export function readNumber(text) {
  const value = Number(text.trim().replace("−", "-"));
  return text.trim() && Number.isFinite(value) ? value : null;
}

/**
 * @param {Record<string, unknown>} attributes
 * @param {(value: number, how: How) => void} tell
 * @param {() => void} takeBack what was typed since the last step
 * @returns {Numeral}
 */
export function numeral(attributes, tell, takeBack) {
  let fresh = true; // nothing typed since the step began
  /** @type {number | null} */
  let value = null;
  const input = h("input", {
    inputmode: "decimal",
    autocomplete: "off",
    spellcheck: "false",
    "data-number": true,
    ...attributes,
  });
  const mark = (/** @type {boolean} */ wrong) =>
    wrong ? input.setAttribute("aria-invalid", "true") : input.removeAttribute("aria-invalid");
  input.addEventListener("focus", () => {
    fresh = true;
    input.select();
  });
  input.addEventListener("input", () => {
    const typed = readNumber(input.value);
    mark(typed === null);
    if (typed === null) return;
    tell(typed, { typing: true, replace: !fresh });
    fresh = false;
  });
  input.addEventListener("keydown", ({ key, ctrlKey, metaKey }) => {
    const typed = !fresh;
    if (key !== "Enter" && key !== "Escape" && !(key.toLowerCase() === "z" && (ctrlKey || metaKey))) return;
    fresh = true;
    if (key === "Enter") return input.select();
    write();
    if (key === "Escape" && typed) takeBack();
  });
  input.addEventListener("blur", () => {
    fresh = true;
    if (input.hasAttribute("aria-invalid")) write();
  });

  function write() {
    const text = value === null ? "" : String(Number(value.toPrecision(DIGITS))).replace("-", "−");
    if (input.value !== text) input.value = text;
    input.title = value === null ? "" : String(value);
    mark(false);
  }

  return {
    input,
    show(next) {
      value = next;
      if (fresh || document.activeElement !== input) write();
    },
  };
}
