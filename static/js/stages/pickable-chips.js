/** A click picks a chip; with Shift, several chips. */

import { setView } from "../core/actions.js";
import { togglePick, tokenOfEvent } from "../core/pointing.js";
import { find } from "../lib/dom.js";
import { placeBeside, isShortcut } from "../lib/step-keys.js";
import { alongRow } from "../lib/reading-order.js";
import { chipsOf } from "./token-chips.js";

const FAR = /** @type {Record<string, number>} */ ({ PageUp: -100, PageDown: 100 }); // tokens that a key moves by

/**
 * Must be updated after the chips.
 * @param {HTMLElement} root @param {Store} store @param {Axis} own @returns {Part}
 */
export const pickable = (root, store, own) => new PickableChips(find(".chips", root), store, own);

class PickableChips {
  /** @param {HTMLElement} strip @param {Store} store @param {Axis} own */
  constructor(strip, store, own) {
    this.strip = strip;
    this.store = store;
    this.own = own;
    this.cursor = 0;
    this.chips = chipsOf(strip);
    this.chips.drawn = () => this.markAgain();
    this.chips.found = (at) => this.move(at);
    strip.title = store.t("picked.pick");
    strip.setAttribute("role", "listbox");
    strip.setAttribute("aria-multiselectable", "true");
    strip.setAttribute("aria-orientation", "horizontal");
    strip.addEventListener("click", (event) => this.onClick(event));
    strip.addEventListener("keydown", (event) => this.onKey(event));
    strip.addEventListener("focus", () => strip.matches(":focus-visible") && this.move(this.cursor));
    strip.addEventListener("blur", () => this.show(null));
  }

  /** @param {State} state */
  axisIn({ view, answer }) {
    return answer?.reply.context_lengths ? this.own : (view.picked?.axis ?? this.own);
  }

  /** @param {boolean} more adds to the picked tokens */
  pick(more) {
    togglePick(this.store, this.axisIn(this.store.get()), this.cursor, more);
  }

  /** @param {MouseEvent} event */
  onClick(event) {
    const at = tokenOfEvent(event);
    if (at === null) return;
    this.cursor = this.chips.cursor = at;
    if (this.strip.hasAttribute("aria-activedescendant")) this.move(at);
    this.pick(event.shiftKey || event.ctrlKey || event.metaKey);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { key } = event;
    if (isShortcut(event)) return;
    const { size, isPart } = this.chips.window;
    const far = isPart ? FAR[key] : undefined;
    const to = far ? this.cursor + far : placeBeside(alongRow(event, this.strip), this.cursor, size);
    if (to !== null) this.move(to);
    else if (key === "Enter" || key === " ") this.pick(event.shiftKey);
    else if (key === "Escape" && this.store.get().view.picked) setView(this.store, { picked: null });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} to */
  move(to) {
    this.cursor = Math.max(0, Math.min(this.chips.window.size - 1, to)); // a new text may be shorter
    this.chips.cursor = this.cursor;
    this.show(this.chips.bring(this.cursor));
  }

  /** @param {Element | null} chip */
  show(chip) {
    this.strip.querySelector(".cursor")?.classList.remove("cursor");
    if (!chip) return this.strip.removeAttribute("aria-activedescendant");
    chip.classList.add("cursor");
    this.strip.setAttribute("aria-activedescendant", chip.id);
  }

  markAgain() {
    this.mark(this.store.get());
    if (!this.strip.hasAttribute("aria-activedescendant")) return;
    this.strip.querySelector(`[data-at="${this.cursor}"]`)?.classList.add("cursor");
  }

  /** @type {Part["update"]} */
  update(state, previous) {
    const { answer, view } = state;
    const fresh = answer !== previous?.answer || view.batch !== previous?.view.batch;
    if (fresh || view.picked !== previous?.view.picked) this.mark(state);
  }

  /** @param {State} state */
  mark(state) {
    const { picked } = state.view;
    const chosen = new Set(picked?.axis === this.axisIn(state) ? picked.at : []);
    for (const chip of /** @type {Iterable<HTMLElement>} */ (this.strip.children)) {
      const at = Number(chip.dataset.at);
      chip.id = this.own === "query" ? `token-${at}` : `context-token-${at}`;
      chip.setAttribute("role", "option");
      chip.setAttribute("aria-selected", String(chosen.has(at)));
    }
  }

  destroy() {}
}
