import { h } from "../lib/dom.js";

export class WindowBar {
  /** @param {Store} store @param {(by: number) => void} turn */
  constructor({ t }, turn) {
    const way = (/** @type {string} */ sign, /** @type {number} */ by) =>
      h("button", { type: "button", class: "turn", onclick: () => turn(by) }, sign);
    this.t = t;
    this.before = way("‹", -1);
    this.after = way("›", 1);
    this.words = h("span");
    this.root = h("p", { class: "line-window", hidden: true }, this.before, this.after, this.words);
  }

  /**
   * @param {import("./line-window.js").Part | null} part @param {Record<Axis, number[]>} sides
   * @param {number} n tokens of the leading side
   */
  show(part, sides, n) {
    this.root.hidden = part === null;
    if (!part) return;
    const { lead, from, to } = part;
    const met = sides[lead === "query" ? "key" : "query"].length;
    this.words.textContent = this.t(`lines.part.${lead}`, { from, to: to - 1, n, met });
    for (const [button, key, ends] of /** @type {const} */ ([
      [this.before, "tokens.before", from === 0],
      [this.after, "tokens.after", to === n],
    ])) {
      const name = this.t(key, { n: to - from });
      button.setAttribute("aria-label", name);
      button.title = name;
      button.setAttribute("aria-disabled", String(ends)); // a disabled button would lose the focus
    }
  }
}
