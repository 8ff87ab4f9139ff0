/** The examples menu: every prepared question, opened by a press. */

import { open } from "../core/actions.js";
import { closeOutside, fill, find, h } from "../lib/dom.js";

/** @typedef {import("../core/state.js").Example} Example */

const GROUPS = ["worked", "sentences", "crafted"];

/** @param {Example} example */
function groupOf({ question, figures }) {
  if (question.model?.source === "crafted") return "crafted";
  return question.text && figures.length === 0 ? "sentences" : "worked";
}

/** In the menu that stands in the page, empty. @type {import("../core/state.js").ViewOf} */
export function examples(root, store) {
  const { t } = store;
  const menu = /** @type {HTMLDetailsElement} */ (find("details", root));
  const panel = find(".panel", menu);
  closeOutside(menu);

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
    update({ examples: all }, previous) {
      if (all === previous?.examples || all.length === 0) return;
      fill(
        panel,
        GROUPS.flatMap((group) => section(all, group)),
      );
    },
    destroy: () => root.replaceChildren(),
  };
}
