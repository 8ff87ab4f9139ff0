/**
 * Picking tokens among the chips: a press picks one, with Shift several. What their weights sum to
 * is shown beside the stages, by a script that is fetched with the first token.
 */

import { look, pick } from "../data/actions.js";
import { find } from "../lib/dom.js";

/** @typedef {import("../data/state.js").State} State */

const STEPS = /** @type {Record<string, number>} */ ({
  ArrowLeft: -1,
  ArrowRight: 1,
  Home: -Infinity,
  End: Infinity,
});

/** @type {import("../data/state.js").ViewOf} */
export function picked(root, store) {
  const strip = find("#tokens .chips");
  let cursor = 0;
  let loading = false;
  /** @type {import("../data/state.js").Part | null} */
  let part = null;
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

  const axis = () => store.get().view.picked?.axis ?? "query";

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
  function mark({ view }) {
    const chosen = new Set(view.picked?.at);
    [...strip.children].forEach((chip, at) => {
      chip.id = `token-${at}`;
      chip.setAttribute("role", "option");
      chip.setAttribute("aria-selected", String(chosen.has(at)));
    });
  }

  async function load() {
    loading = true;
    part = (await import("./sums.js")).sums(root, store);
    part.update(store.get(), /** @type {State} */ ({ view: {} }));
  }

  return {
    update(state, previous) {
      const fresh = state.answer !== previous.answer || state.view.batch !== previous.view.batch;
      if (fresh || state.view.picked !== previous.view.picked) mark(state);
      if (part) part.update(state, previous);
      else if (state.view.picked && state.answer && !loading) load();
    },
    destroy() {
      part?.destroy();
    },
  };
}
