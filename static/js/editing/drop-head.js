/** Dropping heads: the selected one from the selector, any one from the panel of changes. */

import { look } from "../core/actions.js";
import { dropHead } from "./apply-edit.js";
import { droppedIn, isDropped } from "./dropped-head.js";
import { fill, find, h } from "../lib/dom.js";
import { obstacle } from "./obstacle.js";

/** @typedef {import("./apply-edit.js").Bench} Bench */
/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Part} Part */

/**
 * Drops a head, or opens the panel that says why that is not possible.
 * @param {Bench} bench
 * @param {number} head
 */
async function drop(bench, head) {
  const { question } = bench.store.get();
  if (obstacle(bench, "w_o")) look(bench.store, { change: "heads" });
  else if (!isDropped(question, head)) await dropHead(bench, head);
}

/**
 * In words, what makes a head add nothing.
 * @param {Bench} bench
 * @param {State} state
 * @param {number} head
 */
const told = ({ store }, { question }, head) => store.t(`change.dropped.${droppedIn(question.model)}`, { head });

/**
 * A button beside the thumbnails, and Delete on each of them.
 * @param {HTMLElement} root the selector
 * @param {Bench} bench
 * @returns {Part}
 */
export function dropper(root, bench) {
  const { store } = bench;
  const { t } = store;
  const button = h("button", { type: "button", class: "drop-head", onclick: () => drop(bench, store.get().view.head) });
  const voice = h("p", { class: "hidden", role: "status" });
  find("header", root).append(button, voice);
  root.addEventListener("keydown", onKey);

  /** @param {KeyboardEvent} event */
  function onKey({ key, target }) {
    const thumbnail = target instanceof Element && /** @type {HTMLElement | null} */ (target.closest(".thumbnail"));
    if (key !== "Delete" || !thumbnail) return;
    drop(bench, Number(thumbnail.dataset.head));
  }

  return {
    update(state) {
      const { head } = state.view;
      const gone = isDropped(state.question, head);
      button.disabled = gone;
      button.textContent = t(gone ? "change.is_dropped" : "change.drop");
      button.title = gone ? told(bench, state, head) : t("change.drop_told", { head });
      button.setAttribute("aria-label", t(gone ? "change.head_is_dropped" : "change.drop_head", { head }));
      const said = gone ? button.title : "";
      if (voice.textContent !== said) voice.textContent = said;
      const thumbnails = /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".thumbnail"));
      for (const each of thumbnails)
        each.classList.toggle("gone", isDropped(state.question, Number(each.dataset.head)));
    },
    destroy() {
      root.removeEventListener("keydown", onKey);
      button.remove();
      voice.remove();
    },
  };
}

/**
 * Every head with a button, in the panel of what is being changed.
 * @param {HTMLElement} root
 * @param {Bench} bench
 * @returns {Part}
 */
export function heads(root, bench) {
  const { store } = bench;
  const { t } = store;
  const about = h("p", { class: "muted" });
  const list = h("ul", { class: "droppable" });
  fill(root, about, list);
  let drawn = "";

  /** @param {State} state @param {number} head */
  function line(state, head) {
    const gone = isDropped(state.question, head);
    const press = () => drop(bench, head);
    const label = t("change.drop_head", { head });
    return h(
      "li",
      { "data-head": head },
      gone
        ? h("span", {}, told(bench, state, head))
        : h("button", { type: "button", class: "button", onclick: press }, label),
    );
  }

  return {
    update(state) {
      const why = obstacle(bench, "w_o");
      const count = why ? 0 : (state.answer?.reply.shape.num_heads ?? 0);
      const gone = Array.from({ length: count }, (_, head) => isDropped(state.question, head));
      const key = JSON.stringify([why?.textContent, gone]);
      if (key === drawn) return; // what has the focus keeps it
      drawn = key;
      fill(about, why ?? t("change.heads_told"));
      fill(
        list,
        gone.map((_, head) => line(state, head)),
      );
    },
    destroy: () => fill(root),
  };
}
