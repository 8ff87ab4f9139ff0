/** The sentence box: it grows with what is typed, and each line is a sentence of the batch. */

import { say } from "../data/actions.js";
import { h } from "../lib/dom.js";
import { keystrokes } from "./fields.js";

/** @type {import("../data/state.js").ViewOf} */
export function sentence(root, store) {
  const { t, page } = store;
  const id = root.dataset.side ? `text-${root.dataset.side}` : "text"; // a page may hold two
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
  box.addEventListener("input", () => say(store, box.value, how()));
  root.dataset.field = "text";
  root.append(h("label", { for: id }, t("field.text")), box, error);
  return {
    update(state, previous) {
      if (state.question === previous.question && state.problem === previous.problem) return;
      const { text, x, tokens } = state.question;
      if (box.value !== text) box.value = text;
      box.rows = Math.min(4, text.split("\n").length); // where the browser does not size it itself
      box.placeholder = t(x ? "text.x_given" : tokens ? "text.tokens_given" : "text.placeholder");
      const refusal = state.problem?.errors.find(({ at }) => at !== null && /^(text|tokens|x)\b/.test(at));
      error.textContent = refusal?.message ?? "";
      box.toggleAttribute("aria-invalid", Boolean(refusal));
    },
    destroy: () => root.replaceChildren(),
  };
}
