/**
 * Picking tokens among the chips: a press picks one, with Shift several. What their weights sum to
 * is shown beside the stages, by a script that is fetched with the first token.
 */

import { look, pick } from "../data/actions.js";
import { find } from "../lib/dom.js";
import { fetched } from "../lib/fetched.js";

/** @typedef {import("../data/state.js").State} State */

const STEPS = /** @type {Record<string, number>} */ ({
  ArrowLeft: -1,
  ArrowRight: 1,
  Home: -Infinity,
  End: Infinity,
});

/** @typedef {import("../data/address.js").Picked["axis"]} Axis */

/** @type {import("../data/state.js").ViewOf} */
export function picked(root, store) {
  const strip = pickable(find("#tokens .chips"), store, "query");
  let loading = false;
  /** @type {import("../data/state.js").Part | null} */
  let part = null;

  async function load() {
    loading = true;
    part = (await fetched(() => import("./sums.js"))).sums(root, store);
    part.update(store.get(), /** @type {State} */ ({ view: {} }));
  }

  return {
    update(state, previous) {
      strip.update(state, previous);
      if (part) part.update(state, previous);
      else if (state.view.picked && state.answer && !loading) load();
    },
    destroy() {
      part?.destroy();
    },
  };
}

/**
 * Lets the chips of a strip be picked. A sentence without a context is queries and keys at once.
 * @param {HTMLElement} strip
 * @param {import("../data/state.js").Store} store
 * @param {Axis} own the axis that counts its tokens
 */
export function pickable(strip, store, own) {
  let cursor = 0;
  for (const [name, value] of Object.entries({
    role: "listbox",
    "aria-multiselectable": "true",
    "aria-orientation": "horizontal",
    title: store.t("picked.pick"),
  }))
    strip.setAttribute(name, value);
  strip.addEventListener("click", onClick);
  strip.addEventListener("keydown", onKey);
  strip.addEventListener("focus", () => strip.matches(":focus-visible") && move(cursor));
  strip.addEventListener("blur", () => show(null));

  /** @param {State} state @returns {Axis} */
  const axisIn = ({ view, answer }) => (answer?.reply.context_lengths ? own : (view.picked?.axis ?? own));
  const axis = () => axisIn(store.get());

  /** @param {MouseEvent} event */
  function onClick(event) {
    const chip = event.target instanceof Element ? event.target.closest("li") : null;
    if (!chip) return;
    cursor = [...strip.children].indexOf(chip);
    pick(store, axis(), cursor, event.shiftKey || event.ctrlKey || event.metaKey);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in STEPS) move(cursor + STEPS[event.key]);
    else if (event.key === "Enter" || event.key === " ") pick(store, axis(), cursor, event.shiftKey);
    else if (event.key === "Escape" && store.get().view.picked) look(store, { picked: null });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} to */
  function move(to) {
    cursor = Math.max(0, Math.min(strip.children.length - 1, to));
    show(strip.children[cursor]);
  }

  /** @param {Element | null} chip */
  function show(chip) {
    strip.querySelector(".cursor")?.classList.remove("cursor");
    if (!chip) return strip.removeAttribute("aria-activedescendant");
    chip.classList.add("cursor");
    strip.setAttribute("aria-activedescendant", chip.id);
    chip.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** @param {State} state */
  function mark(state) {
    const { picked } = state.view;
    const chosen = new Set(picked?.axis === axisIn(state) ? picked.at : []);
    [...strip.children].forEach((chip, at) => {
      chip.id = own === "query" ? `token-${at}` : `context-token-${at}`;
      chip.setAttribute("role", "option");
      chip.setAttribute("aria-selected", String(chosen.has(at)));
    });
  }

  return {
    /** @param {State} state @param {State} previous */
    update(state, previous) {
      const fresh = state.answer !== previous.answer || state.view.batch !== previous.view.batch;
      if (fresh || state.view.picked !== previous.view.picked) mark(state);
    },
  };
}
