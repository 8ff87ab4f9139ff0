/** The tokens of one side of the lines: a list that is walked with arrows, pointed at and picked from. */

import { look } from "../core/actions.js";
import { pick, point } from "../core/pointing.js";
import { fill, h } from "../lib/dom.js";
import { isShortcut, placeAfter } from "../lib/grid-keys.js";
import { format } from "../lib/numbers.js";
import { spaced } from "./spacing.js";

/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Store} Store */
/** @typedef {"query" | "key"} Axis */

export class TokenList {
  /** @param {Store} store @param {Axis} axis */
  constructor(store, axis) {
    this.store = store;
    this.axis = axis;
    this.apart = 1;
    this.met = /** @type {HTMLElement[]} */ ([]);
    this.root = h("ul", {
      role: "listbox",
      tabindex: "0",
      "aria-multiselectable": "true",
      class: `axis-${axis}`,
      "aria-label": store.t(`lines.${axis}`),
    });
    this.listen();
  }

  listen() {
    const { root, store, axis } = this;
    root.addEventListener("pointermove", (event) => this.point(tokenAt(event)));
    root.addEventListener("pointerleave", () => this.point(null));
    root.addEventListener("click", (event) => {
      const at = tokenAt(event);
      if (at !== null) pick(store, axis, at, event.shiftKey || event.ctrlKey || event.metaKey);
    });
    root.addEventListener("keydown", (event) => this.onKey(event));
    root.addEventListener("focus", () => root.matches(":focus-visible") && this.point(this.cursor));
    root.addEventListener("blur", () => this.point(null));
  }

  get count() {
    return this.root.children.length;
  }

  get cursor() {
    const { pointed, view } = this.store.get();
    if (pointed?.axis === this.axis) return pointed.at;
    return view.picked?.axis === this.axis ? view.picked.at[0] : 0;
  }

  /** @param {number | null} at */
  point(at) {
    point(this.store, this.axis, at);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (isShortcut(event)) return;
    const to = placeAfter(event, this.cursor, this.count);
    if (to !== null) {
      this.point(to);
      this.root.children[to]?.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else if (event.key === "Escape" && this.store.get().view.picked) look(this.store, { picked: null });
    else if (event.key === "Enter" || event.key === " ") pick(this.store, this.axis, this.cursor, event.shiftKey);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * @param {string[]} names
   * @param {number} apart tokens from one written name to the next
   */
  show(names, apart) {
    this.apart = apart;
    this.met = [];
    fill(
      this.root,
      names.map((name, at) => {
        const id = `lines-${this.axis}-${at}`;
        const named = apart > 1 && at % apart === 0 ? "named" : null;
        return h("li", { role: "option", id, "data-at": at, title: name, class: named }, h("span", {}, name), h("b"));
      }),
    );
  }

  /**
   * Marks what is picked, what the lines are drawn of, and where the cursor is.
   * @param {State} state
   * @param {import("../core/address/address.js").Picked | null} active
   */
  mark({ pointed, view: { picked } }, active) {
    const { root, axis } = this;
    for (const item of root.querySelectorAll("[aria-selected=true], .active")) {
      item.setAttribute("aria-selected", "false");
      item.classList.remove("active");
    }
    if (picked?.axis === axis) for (const at of picked.at) root.children[at]?.setAttribute("aria-selected", "true");
    if (active?.axis === axis) for (const at of active.at) root.children[at]?.classList.add("active");
    if (pointed?.axis === axis) root.setAttribute("aria-activedescendant", `lines-${axis}-${pointed.at}`);
    else root.removeAttribute("aria-activedescendant");
  }

  /**
   * Writes weights behind the tokens that the lines lead to, the largest where there is no room for all.
   * @param {{at: number, weight: number}[]} entries
   */
  meet(entries) {
    this.forget();
    const told = this.apart > 1 ? new Set(spaced(byWeight(entries), this.apart)) : null;
    for (const { at, weight } of entries) {
      const item = /** @type {HTMLElement} */ (this.root.children[at]);
      item.style.setProperty("--weight", String(Math.min(1, weight)));
      item.classList.add("met");
      item.classList.toggle("told", told?.has(at) ?? false);
      /** @type {HTMLElement} */ (item.lastChild).textContent = format(weight, 2);
      this.met.push(item);
    }
  }

  forget() {
    for (const item of this.met.splice(0)) {
      item.classList.remove("met", "told");
      item.style.removeProperty("--weight");
      /** @type {HTMLElement} */ (item.lastChild).textContent = "";
    }
  }
}

/** The largest first. @param {{at: number, weight: number}[]} entries */
const byWeight = (entries) => entries.toSorted((a, b) => b.weight - a.weight).map(({ at }) => at);

/** @param {Event} event */
function tokenAt({ target }) {
  const item = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest("li")) : null;
  return item ? Number(item.dataset.at) : null;
}
