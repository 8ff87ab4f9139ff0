/** Number input: typing applies the number, Enter ends the undo step, Esc reverts the step. */

import { h } from "../lib/dom.js";
import { selectOnFocus } from "../lib/select-on-focus.js";

/** @param {string} text with - or −, point or comma */
function readNumber(text) {
  const plain = text.trim().replaceAll("−", "-").replace(/[,，]/, ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) && Number.isFinite(Number(plain)) ? Number(plain) : null;
}

/** Shortens a number to a text that can be typed. @param {number} value @param {number} decimals */
function shortened(value, decimals) {
  const rounded = Number(Number(value.toFixed(decimals)).toPrecision(decimals + 1));
  const text = rounded === 0 && value !== 0 ? value.toExponential(0) : String(rounded);
  return text.replaceAll("-", "−");
}

/**
 * @param {Record<string, unknown>} attributes
 * @param {(value: number, how: How) => Promise<boolean>} tell
 * @param {() => void} takeBack reverts the undo step
 * @param {number} [decimals]
 */
export function numberInput(attributes, tell, takeBack, decimals = 6) {
  let fresh = true; // nothing typed in this undo step
  let typings = 0;
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
  input.addEventListener("focus", () => (fresh = true));
  selectOnFocus(input);
  input.addEventListener("input", async () => {
    const typed = readNumber(input.value);
    const now = ++typings;
    mark(typed === null);
    if (typed === null) return;
    const replace = !fresh;
    fresh = false;
    if ((await tell(typed, { typing: true, replace })) || now !== typings) return;
    fresh = true;
    write();
    if (document.activeElement === input) input.select();
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
    const text = value === null ? "" : shortened(value, decimals);
    if (input.value !== text) input.value = text;
    input.title = value === null ? "" : String(value);
    mark(false);
  }

  return {
    input,
    /** @param {number | null} next */
    show(next) {
      value = next;
      if (fresh || document.activeElement !== input) write();
    },
  };
}
