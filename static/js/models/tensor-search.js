import { h } from "../lib/dom.js";
import { field } from "../lib/field.js";

/** Tests names for every word, in any order and case. @param {string} text @returns {(name: string) => boolean} */
export function matcher(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return (name) => words.every((word) => name.toLowerCase().includes(word));
}

/** @param {{t: (key: string, values?: Record<string, unknown>) => string}} store @param {HTMLTableElement} table */
export function tensorSearch({ t }, table) {
  const rows = /** @type {HTMLElement[]} */ ([...table.querySelectorAll("[data-words]")]);
  const status = h("span", { class: "muted", role: "status" });
  const box = h("input", { type: "search", spellcheck: "false", autocomplete: "off", oninput: search });
  function search() {
    const fits = matcher(box.value);
    for (const row of rows) row.hidden = !fits(row.dataset.words ?? "");
    status.textContent = t("models.found", { count: rows.filter((row) => !row.hidden).length, all: rows.length });
  }
  search();
  return h("p", { class: "search" }, field(t("models.search"), box), status);
}
