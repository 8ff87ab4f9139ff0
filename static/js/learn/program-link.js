import { h } from "../lib/dom.js";

/**
 * @param {Store} store
 * @param {import("./lessons.js").Figure} figure
 * @returns {import("../question/fields.js").Field}
 */
export function programLink(store, { program }) {
  const root = h("a", { class: "button", download: "", hidden: true }, store.t("live.program"));
  return {
    root,
    update({ answer }) {
      root.hidden = !program || !answer;
      if (answer) root.setAttribute("href", `/api/v1/traces/${answer.reply.trace}/export?format=py`);
    },
  };
}
