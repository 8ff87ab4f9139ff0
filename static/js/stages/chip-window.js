import { h } from "../lib/dom.js";

const MOST = 400; // chips; a longer text shows a window
const WINDOW_SIZE = 200; // chips in the window

export class ChipWindow {
  start = 0;
  size = 0;

  /** @param {Store} store @param {(by: number) => void} moved */
  constructor({ t }, moved) {
    const way = (/** @type {string} */ name, /** @type {string} */ sign, /** @type {number} */ by) => {
      const press = () => this.turn(by) && moved(by);
      const attributes = { class: "turn", "aria-label": name, title: name };
      return h("button", { type: "button", ...attributes, hidden: true, onclick: press }, sign);
    };
    this.before = way(t("tokens.before", { n: WINDOW_SIZE }), "‹", -WINDOW_SIZE);
    this.after = way(t("tokens.after", { n: WINDOW_SIZE }), "›", WINDOW_SIZE);
  }

  get isPart() {
    return this.size > MOST;
  }

  get end() {
    return this.isPart ? Math.min(this.size, this.start + WINDOW_SIZE) : this.size;
  }

  /** @param {number} size tokens of the text */
  count(size) {
    if (size !== this.size) this.start = 0;
    this.size = size;
    this.update();
  }

  /** @param {number} at @returns whether the window moved */
  show(at) {
    return at < this.start || at >= this.end ? this.moveTo(at - WINDOW_SIZE / 2) : false;
  }

  /** @param {number} by */
  turn(by) {
    return this.moveTo(this.start + by);
  }

  /** @param {number} start */
  moveTo(start) {
    const before = this.start;
    this.start = this.isPart ? Math.max(0, Math.min(this.size - WINDOW_SIZE, start)) : 0;
    this.update();
    return this.start !== before;
  }

  /** Disables buttons by `aria-disabled`, which keeps the focus. */
  update() {
    this.before.hidden = this.after.hidden = !this.isPart;
    this.before.setAttribute("aria-disabled", String(this.start === 0));
    this.after.setAttribute("aria-disabled", String(this.end === this.size));
  }
}
