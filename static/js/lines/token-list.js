import { setView } from "../core/actions.js";
import { togglePick, point, tokenOfEvent } from "../core/pointing.js";
import { fill, h } from "../lib/dom.js";
import { alongRow } from "../lib/reading-order.js";
import { isShortcut, stepOf } from "../lib/step-keys.js";
import { format } from "../lib/numbers.js";

export class TokenList {
  /** @type {number[]} */
  tokens = [];
  size = 0;

  /**
   * @param {Store} store @param {Axis} axis
   * @param {(to: number) => boolean} lead moves the window to a token; false if it cannot
   */
  constructor(store, axis, lead) {
    this.store = store;
    this.axis = axis;
    this.lead = lead;
    this.weightedItems = /** @type {HTMLElement[]} */ ([]);
    this.root = h("ul", {
      role: "listbox",
      translate: "no",
      tabindex: "0",
      "aria-multiselectable": "true",
      class: `axis-${axis}`,
      "aria-label": store.t(`lines.${axis}`),
    });
    this.listen();
  }

  listen() {
    const { root, store, axis } = this;
    root.addEventListener("pointermove", (event) => this.point(tokenOfEvent(event)));
    root.addEventListener("pointerleave", () => this.point(null));
    root.addEventListener("click", (event) => {
      const at = tokenOfEvent(event);
      if (at !== null) togglePick(store, axis, at, event.shiftKey || event.ctrlKey || event.metaKey);
    });
    root.addEventListener("keydown", (event) => this.onKey(event));
    root.addEventListener("focus", () => root.matches(":focus-visible") && this.point(this.cursor));
    root.addEventListener("blur", () => this.point(null));
  }

  /** @param {number} at */
  itemOf(at) {
    return /** @type {HTMLElement | null} */ (this.root.children[this.tokens.indexOf(at)] ?? null);
  }

  get cursor() {
    const { pointed, view } = this.store.get();
    if (pointed?.axis === this.axis) return pointed.at;
    const picked = view.picked?.axis === this.axis ? view.picked.at[0] : -1;
    return this.tokens.includes(picked) ? picked : (this.tokens[0] ?? 0);
  }

  /** @param {number | null} at */
  point(at) {
    point(this.store, this.axis, at);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (isShortcut(event)) return;
    const step = stepOf(alongRow(event, this.root));
    if (step) this.walk(step[0] + step[1]);
    else if (event.key === "Escape" && this.store.get().view.picked) setView(this.store, { picked: null });
    else if (event.key === "Enter" || event.key === " ") togglePick(this.store, this.axis, this.cursor, event.shiftKey);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} by */
  walk(by) {
    const at = this.tokens.indexOf(this.cursor);
    const inside = Math.max(0, Math.min(this.tokens.length - 1, at + by));
    const beyond = Math.max(0, Math.min(this.size - 1, this.cursor + by));
    const leaves = at < 0 || at + by !== inside;
    this.point(leaves && this.lead(beyond) ? beyond : this.tokens[inside]);
    this.itemOf(this.cursor)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /**
   * @param {number[]} tokens @param {string[]} names @param {number | null} size of the text; null if all are shown
   * @param {import("../core/token-order.js").Row | null} row reading order
   */
  show(tokens, names, size, row) {
    this.tokens = tokens;
    this.root.dir = row?.right ? "rtl" : "";
    this.size = size ?? tokens.length;
    this.weightedItems = [];
    const placed = (/** @type {number} */ at) => size !== null && { "aria-setsize": size, "aria-posinset": at + 1 };
    fill(
      this.root,
      tokens.map((at, index) => {
        const id = `lines-${this.axis}-${at}`;
        const attributes = { role: "option", id, "data-at": at, title: names[index], ...placed(at) };
        const item = h("li", attributes, h("span", {}, names[index]), h("b"));
        if (row) {
          item.style.order = String(row.places[index]);
          item.dir = row.turned[index] ? "rtl" : "ltr";
        }
        return item;
      }),
    );
  }

  /** @param {State} state @param {Picked | null} active */
  mark({ pointed, view: { picked } }, active) {
    const { root, axis } = this;
    for (const item of root.querySelectorAll("[aria-selected=true], .active")) {
      item.setAttribute("aria-selected", "false");
      item.classList.remove("active");
    }
    if (picked?.axis === axis) for (const at of picked.at) this.itemOf(at)?.setAttribute("aria-selected", "true");
    if (active?.axis === axis) for (const at of active.at) this.itemOf(at)?.classList.add("active");
    if (pointed?.axis === axis) root.setAttribute("aria-activedescendant", `lines-${axis}-${pointed.at}`);
    else root.removeAttribute("aria-activedescendant");
  }

  /**
   * @param {{at: number, weight: number}[]} entries @param {number} full weight in full colour @param {number} decimals
   */
  showWeights(entries, full, decimals) {
    this.clearWeights();
    for (const { at, weight } of entries) {
      const item = this.itemOf(at);
      if (!item) continue;
      item.style.setProperty("--weight", String(Math.min(1, weight / full)));
      item.classList.add("met");
      /** @type {HTMLElement} */ (item.lastChild).textContent = format(weight, decimals);
      this.weightedItems.push(item);
    }
  }

  clearWeights() {
    for (const item of this.weightedItems.splice(0)) {
      item.classList.remove("met");
      item.style.removeProperty("--weight");
      /** @type {HTMLElement} */ (item.lastChild).textContent = "";
    }
  }
}
