import { setQuestion, setField } from "../core/question-changes.js";
import { separator, defaultModel } from "../core/question.js";
import { h } from "../lib/dom.js";

/**
 * Changes one text of a box. `at` does not count blank texts, which stay.
 * @param {string} box @param {boolean} breaks @param {number} at @param {(text: string) => string} change
 */
export function withTextAt(box, breaks, at, change) {
  const all = box.split(separator(breaks));
  const place = all.flatMap((text, each) => (text.trim() === "" ? [] : [each]))[at];
  return all.map((text, each) => (each === place ? change(text) : text)).join(separator(breaks));
}

/**
 * @param {Store} store @param {import("./text-box.js").Side["field"]} field
 * @param {HTMLElement} box @param {{at: string | null, end?: number}} refusal
 */
export function cutButton(store, field, box, { at, end = 0 }) {
  const cut = () => {
    box.focus({ preventScroll: true }); // the focused button disappears
    const { question } = store.get();
    setField(store, field, cutText(question[field] ?? "", question.breaks, textAt(at), end));
  };
  return h("button", { type: "button", class: "link", onclick: cut }, store.t("text.cut"));
}

/** @param {Store} store @param {HTMLElement} box */
export function seededButton(store, box) {
  const onclick = () => {
    box.focus({ preventScroll: true });
    setQuestion(store, { ...store.get().question, model: defaultModel(store.page, "seeded") });
  };
  return h("button", { type: "button", class: "link", onclick }, store.t("refused.seeded"));
}

/** Index of the text that an error names: 2 for "text[2]", 0 for "text". @param {string | null} at */
export const textAt = (at) => Number(at?.match(/\[(\d+)\]$/)?.[1] ?? 0);

/**
 * @param {string} box @param {boolean} breaks
 * @param {number} at index among the texts that are not blank @param {number} end in Unicode characters
 */
export const cutText = (box, breaks, at, end) =>
  withTextAt(box, breaks, at, (text) => [...text].slice(0, end).join(""));
