import { fill, h } from "./dom.js";

/** @param {(value: string) => void} choose @param {Record<string, unknown>} [attributes] */
export function makeSelect(choose, attributes = {}) {
  const control = h("select", { ...attributes, onchange: () => choose(control.value) });
  return control;
}

/**
 * Replaces options only if they differ: the menu may be open.
 * @template {string | number} Value @param {HTMLSelectElement} control @param {readonly Value[]} values
 * @param {Value | null} now null keeps the selection @param {(value: Value) => string} [nameOf]
 */
export function setOptions(control, values, now, nameOf = String) {
  const names = values.map(nameOf);
  const options = [...control.options];
  const same =
    options.length === names.length &&
    options.every((option, at) => option.text === names[at] && option.value === String(values[at]));
  if (!same) fill(control, ...names.map((name, at) => h("option", { value: values[at] }, name)));
  if (now !== null) control.value = String(now);
}
