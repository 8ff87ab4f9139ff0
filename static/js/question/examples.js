/** The examples menu: every prepared question, opened by a press. */

import { open } from "../core/actions.js";
import { closeOutside, fill, h } from "../lib/dom.js";

/** @typedef {import("../core/state.js").Example} Example */

const GROUPS = ["worked", "sentences", "crafted"];

/** @param {Example} example */
function groupOf({ question, figures }) {
  if (question.model?.source === "crafted") return "crafted";
  return question.text && figures.length === 0 ? "sentences" : "worked";
}

/** @type {import("../core/state.js").ViewOf} */
export function examples(root, store) {
  const { t } = store;
  const panel = h("div", { class: "panel" });
  const menu = h("details", { class: "menu" }, h("summary", {}, t("menu.examples")), panel);
  closeOutside(menu);
  root.append(menu);

  /** @param {Example[]} all @param {string} group */
  function section(all, group) {
    const title = h("p", { class: "group", id: `examples-${group}` }, t(`menu.${group}`));
    const own = all.filter((example) => groupOf(example) === group);
    return [title, h("ul", { "aria-labelledby": title.id }, own.map(entry))];
  }

  /** @param {Example} example */
  function entry(example) {
    const words = [h("b", {}, example.title), h("span", { class: "muted" }, example.about)];
    const { question } = example;
    const press = () => {
      menu.open = false;
      open(store, question);
    };
    return h("li", {}, h("button", { onclick: press }, words));
  }

  return {
    update(state, previous) {
      if (state.examples === previous?.examples) return;
      const none = h("p", { class: "muted" }, t("menu.none"));
      const { length } = state.examples;
      fill(panel, length ? GROUPS.flatMap((group) => section(state.examples, group)) : none);
    },
    destroy: () => root.replaceChildren(),
  };
}
