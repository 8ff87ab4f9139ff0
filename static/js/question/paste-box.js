import { setQuestion } from "../core/question-changes.js";
import { readPasted } from "./pasted-question.js";
import { h } from "../lib/dom.js";
import { keystrokes } from "./keystrokes.js";

const EXAMPLE = '{"w_q": [[1, 0], [0, 1]], "w_k": …, "w_v": …, "x": [[1, 2], [3, 4]]}';

/**
 * @param {Store} store @param {Set<string>} others fields that show their own errors
 * @returns {import("./fields.js").Field}
 */
export function pasteBox(store, others) {
  const { t } = store;
  const box = h("textarea", {
    rows: 3,
    spellcheck: "false",
    placeholder: t("paste.placeholder", { example: EXAMPLE }),
  });
  const error = h("span", { class: "error", role: "alert" });
  const how = keystrokes(box);
  let unread = "";
  box.addEventListener("input", () => {
    const read = box.value.trim() ? readPasted(store.page, store.get().question, box.value) : null;
    unread = read && "wrong" in read ? t(read.wrong, { field: read.field, example: EXAMPLE }) : "";
    error.textContent = unread;
    if (read && "question" in read) setQuestion(store, read.question, how());
  });
  return {
    root: h("label", { class: "paste" }, h("span", { class: "title" }, h("b", {}, t("paste.label"))), box, error),
    update({ problem }) {
      const refusals = problem?.errors.filter(({ at }) => !others.has(at ?? "")) ?? [];
      const whole = problem && problem.errors.length === 0 ? [problem] : [];
      error.textContent = unread || [...refusals, ...whole].map(({ message }) => message).join("\n");
    },
  };
}
