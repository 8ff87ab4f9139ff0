/** The examples menu: every prepared question, opened by a press. */

import { open } from "../data/actions.js";
import { closeOutside, fill, h } from "../lib/dom.js";
import { figureOf } from "./figures.js";

/** @typedef {import("../data/state.js").Example} Example */
/** @typedef {import("../data/state.js").Store} Store */

const GROUPS = ["worked", "sentences", "crafted"];

/** @param {Example} example */
function groupOf({ question, figures }) {
  if (question?.model?.source === "crafted") return "crafted";
  return question?.text && figures.length === 0 ? "sentences" : "worked";
}

/** @type {import("../data/state.js").ViewOf} */
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
    if (!question) return h("li", {}, figuresAlone(store, example, words));
    const press = () => {
      menu.open = false;
      open(store, question);
    };
    return h("li", {}, h("button", { onclick: press }, words));
  }

  return {
    update(state, previous) {
      if (state.examples === previous.examples) return;
      const none = h("p", { class: "muted" }, t("menu.none"));
      const { length } = state.examples;
      fill(panel, length ? GROUPS.flatMap((group) => section(state.examples, group)) : none);
    },
    destroy: () => root.replaceChildren(),
  };
}

/**
 * An example that is no question of its own: its figures unfold here, and the sentence stays.
 * @param {Store} store
 * @param {Example} example
 * @param {HTMLElement[]} words
 */
function figuresAlone(store, { figures }, words) {
  const told = figures.map((figure) => figureOf(store, figure));
  const details = h("details", {}, h("summary", {}, words), h("ul", { class: "figures" }, told));
  details.addEventListener("toggle", () => details.open && details.scrollIntoView({ block: "nearest" }));
  return details;
}
