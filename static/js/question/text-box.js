import { setText } from "../core/actions.js";
import { isCaptured } from "../core/question.js";
import { h } from "../lib/dom.js";
import { keystrokes } from "./keystrokes.js";

const LINE = 20; // CSS pixels
const MOST = 4; // lines

/**
 * `says`: placeholders for no input, numbers and tokens. `typed`: value of the field for a typed text.
 * @typedef {{field: "text" | "context" | "pair", x: "x" | "context_x", tokens: "tokens" | "context_tokens",
 * says: [string, string, string], typed?: (text: string) => string | null}} Side
 */

/**
 * @param {HTMLElement} root @param {Store} store @param {Side} side
 * @returns {Part & {box: HTMLTextAreaElement}}
 */
export function textBox(root, store, { field, x, tokens, says: [empty, numbers, words], typed = (text) => text }) {
  const { t, page } = store;
  const id = root.dataset.side ? `${field}-${root.dataset.side}` : field; // a page may have two such boxes
  const box = h("textarea", {
    id,
    rows: 1,
    spellcheck: "false",
    autocomplete: "off",
    dir: "auto",
    maxlength: page.limits.max_characters,
  });
  const error = h("p", { class: "error", role: "alert", id: `${id}-error` });
  const how = keystrokes(box);
  box.setAttribute("aria-describedby", error.id);
  const own = new RegExp(`^(${field}|${x}|${tokens})\\b`);
  box.addEventListener("input", () => setText(store, typed(box.value), how(), { field, x, tokens }));
  const fit = () => {
    if ("fieldSizing" in box.style) return; // set by the style sheet
    box.rows = 1;
    box.rows = Math.min(MOST, box.scrollHeight / LINE) || 1;
  };
  new ResizeObserver(() => requestAnimationFrame(fit)).observe(box); // at once, it would resize what it observes
  root.dataset.field = field;
  root.append(h("label", { for: id }, t(`field.${field}`)), box, error);
  return {
    box,
    update({ question, problem }, previous) {
      if (question === previous?.question && problem === previous?.problem) return;
      const fixed = isCaptured(question);
      const text = fixed ? "" : (question[field] ?? "");
      if (box.value !== text) box.value = text;
      fit();
      box.readOnly = fixed;
      box.placeholder = t(fixed ? "text.captured" : question[x] ? numbers : question[tokens] ? words : empty);
      const refusal = problem?.errors.find(({ at }) => at !== null && own.test(at));
      error.textContent = refusal?.message ?? "";
      box.toggleAttribute("aria-invalid", Boolean(refusal));
    },
    destroy: () => root.replaceChildren(),
  };
}
