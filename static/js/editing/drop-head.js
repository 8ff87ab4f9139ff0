import { isCaptured } from "../core/question.js";
import { setField } from "../core/question-changes.js";
import { isDropped, toggleDrop } from "../core/dropped-head.js";
import { fill, h } from "../lib/dom.js";

/** @typedef {import("../core/dropped-head.js").Place} Place */

/** @param {Store} store @param {Place} place */
const toggle = (store, place) => setField(store, "drop", toggleDrop(store.get().question, place));

const DROP = { text: "change.drop", title: "change.drop_about", name: "change.drop_head" };
const PUT_BACK = { text: "change.put_back", title: "change.put_back_about", name: "change.put_back_head" };

/** @param {HTMLElement} thumbnail */
const placeOf = ({ dataset }) => ({ layer: Number(dataset.layer), head: Number(dataset.head) });

/**
 * Button that drops the selected head. The Delete key drops the head of the focused thumbnail.
 * @param {HTMLElement} root @param {HTMLElement} slot @param {import("./apply-edit.js").Bench} bench @returns {Part}
 */
export function dropHeadButton(root, slot, { store }) {
  const { t } = store;
  const press = () => toggle(store, store.get().view);
  const button = h("button", { type: "button", class: "drop-head", onclick: press });
  const voice = h("p", { class: "hidden", role: "status" });
  slot.append(button, voice);
  root.addEventListener("keydown", onKey);

  /** @param {KeyboardEvent} event */
  function onKey({ key, target }) {
    const thumbnail = target instanceof Element && /** @type {HTMLElement | null} */ (target.closest(".thumbnail"));
    if (key !== "Delete" || !thumbnail) return;
    const place = placeOf(thumbnail);
    const { question } = store.get();
    if (!isCaptured(question) && !isDropped(question, place)) toggle(store, place);
  }

  return {
    update({ question, view }) {
      const { layer, head } = view;
      const gone = isDropped(question, view);
      const { text, title, name } = gone ? PUT_BACK : DROP;
      button.hidden = isCaptured(question);
      button.textContent = t(text);
      button.title = t(title, { layer, head });
      button.setAttribute("aria-label", t(name, { layer, head }));
      const said = gone ? t("change.dropped", { layer, head }) : "";
      if (voice.textContent !== said) voice.textContent = said;
    },
    destroy() {
      root.removeEventListener("keydown", onKey);
      button.remove();
      voice.remove();
    },
  };
}

/** @type {import("./apply-edit.js").BenchView} */
export function heads(root, { store }) {
  const { t } = store;
  const list = h("ul", { class: "droppable" });
  fill(root, h("p", { class: "muted" }, t("change.heads_about")), list);
  let drawn = "";

  /** @param {Place} place */
  function line(place) {
    const button = h("button", { type: "button", class: "button", onclick: () => toggle(store, place) });
    return h("li", { "data-head": place.head }, button);
  }

  return {
    update({ answer, question, view: { layer } }) {
      const places = Array.from({ length: answer?.reply.shape.num_heads ?? 0 }, (_, head) => ({ layer, head }));
      const key = `${layer} ${places.length}`;
      if (key !== drawn) fill(list, places.map(line));
      drawn = key;
      for (const [at, place] of places.entries())
        list.children[at].children[0].textContent = t((isDropped(question, place) ? PUT_BACK : DROP).name, place);
    },
    destroy: () => fill(root),
  };
}
