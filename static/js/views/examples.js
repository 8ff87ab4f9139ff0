/** The examples menu: every prepared question, opened by a press. */

import { open } from "../data/actions.js";
import { closeOutside, fill, h } from "../lib/dom.js";
import { figureOf } from "./figures.js";

/** @type {import("../data/state.js").ViewOf} */
export function examples(root, store) {
  const { t } = store;
  const list = h("ul", { class: "panel" });
  const menu = h("details", { class: "menu" }, h("summary", {}, t("menu.examples")), list);
  closeOutside(menu);
  root.append(menu);

  /** @param {import("../data/state.js").Example} example */
  function entry({ title, about, question, figures }) {
    const words = [h("b", {}, title), h("span", { class: "muted" }, about)];
    if (!question)
      return h(
        "li",
        {},
        h(
          "details",
          {},
          h("summary", {}, words),
          h(
            "ul",
            { class: "figures" },
            figures.map((figure) => figureOf(store, figure)),
          ),
        ),
      );
    const press = () => {
      menu.open = false;
      open(store, question);
    };
    return h("li", {}, h("button", { onclick: press }, words));
  }

  return {
    update(state, previous) {
      if (state.examples === previous.examples) return;
      fill(
        list,
        state.examples.length ? state.examples.map(entry) : h("li", { class: "muted" }, t("menu.none")),
      );
    },
    destroy: () => root.replaceChildren(),
  };
}
