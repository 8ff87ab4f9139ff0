/** Tokens coloured by surprise. Masked language models give no surprises. */

import { setView } from "../core/actions.js";
import { labelsOf, wholeOf } from "../core/answer.js";
import { partsOf } from "../core/pieces.js";
import { positionOf } from "../core/position.js";
import { setTokens } from "../core/token-order.js";
import { fill, h } from "../lib/dom.js";
import { placeBeside, isShortcut } from "../lib/step-keys.js";
import { alongRow } from "../lib/reading-order.js";
import { runsRight } from "../lib/scripts.js";
import { percent } from "../lib/percent.js";
import { gradient } from "../lib/paint.js";
import { textColor } from "../lib/text-color.js";
import { colorsOf } from "../matrix/colors.js";

const MOST = 8; // nats of the strongest colour: a probability of 1 in 3,000

const SURPRISE = {
  name: "predictions.surprise",
  about: "predictions.surprise_about",
  strip: "predictions.surprise_strip",
};
const MASK = { name: "predictions.mask", about: "predictions.mask_about", strip: "predictions.mask_strip" };

export class SurpriseStrip {
  /** @param {Store} store */
  constructor(store) {
    const { t } = store;
    this.store = store;
    this.list = h("ol", {
      role: "listbox",
      translate: "no",
      "aria-orientation": "horizontal",
      "aria-label": t("predictions.label"),
    });
    this.ramp = h("span", { class: "ramp" });
    this.words = h("output", { class: "reading" });
    const ends = [h("span", {}, "0"), this.ramp, h("span", {}, t("predictions.most", { n: MOST }))];
    this.name = h("span", { class: "name" });
    this.legend = h("span", { class: "legend" }, ends);
    this.root = h("div", { class: "surprise" }, this.name, this.list, this.legend, this.words);
    this.listen();
  }

  listen() {
    const { list } = this;
    list.addEventListener("click", (event) => this.choose(placeIn(event)));
    list.addEventListener("keydown", (event) => this.onKey(event));
    list.addEventListener("pointermove", (event) => this.describe(placeIn(event)));
    list.addEventListener("pointerleave", () => this.describe(null));
    list.addEventListener("focusin", (event) => this.describe(placeIn(event)));
    list.addEventListener("focusout", () => this.describe(null));
  }

  /** @param {State} state @param {Replies.Predictions} found */
  draw(state, { predicts, surprises }) {
    const { theme, view, answer } = state;
    const masked = predicts === "masked";
    this.call(masked ? MASK : SURPRISE);
    this.legend.hidden = masked;
    const colors = colorsOf(this.store.page, theme, "weights");
    const labels = labelsOf(wholeOf(/** @type {NonNullable<State["answer"]>} */ (answer).reply), view.batch);
    this.sayings = surprises.map((surprise, at) => (masked ? null : this.say(labels[at], surprise, at)));
    const items = surprises.map((surprise, at) => this.item(labels, surprise, at, colors));
    const held = this.list.contains(document.activeElement);
    fill(this.list, items);
    this.direct(labels.slice(0, surprises.length));
    this.ramp.style.backgroundImage = gradient(colors);
    this.mark(state);
    const selected = this.itemAt(positionOf(this.store.page, state));
    if (held) selected?.focus();
    else if (selected) this.seek(selected);
  }

  /** @param {Label[]} labels */
  direct(labels) {
    const items = /** @type {HTMLElement[]} */ ([...this.list.children]);
    if (runsRight(labels)) setTokens(this.list, items, labels);
    else this.list.dir = "";
  }

  /** @param {HTMLElement} item */
  seek(item) {
    const { list } = this;
    if (list.dir !== "rtl") list.scrollLeft = item.offsetLeft + item.offsetWidth - list.clientWidth;
    else list.scrollLeft += item.getBoundingClientRect().left - list.getBoundingClientRect().left;
  }

  /** @param {typeof MASK} keys */
  call({ name, about, strip }) {
    const { t } = this.store;
    this.name.textContent = t(name);
    this.name.title = t(about);
    this.list.setAttribute("aria-label", t(strip));
  }

  /** @param {Label[]} labels @param {number | null} surprise @param {number} at @param {Palette} colors */
  item(labels, surprise, at, colors) {
    const label = this.sayings?.[at];
    const { text, char, joined } = labels[at];
    const rest = joined && char && labels[at - 1]?.char; // a later byte of a character
    const word = rest ? "" : partsOf(char ?? text).word || "–";
    const item = h("li", { role: "option", "data-at": at, "aria-label": label, class: joined ? "part" : "" }, word);
    if (surprise === null) item.classList.add("unsaid");
    else {
      const index = Math.round(255 * Math.min(1, surprise / MOST));
      item.style.background = colors.css(index);
      item.style.color = textColor(colors, index);
    }
    return item;
  }

  /** @param {Label} label @param {number | null} surprise @param {number} at */
  say({ text, char = text }, surprise, at) {
    const token = partsOf(char).word || "–";
    if (surprise === null) return this.store.t(at ? "predictions.untold" : "predictions.unsaid", { token });
    return this.store.t("predictions.said", { token, nats: surprise.toFixed(2), p: percent(Math.exp(-surprise)) });
  }

  /** @param {State} state */
  mark(state) {
    const at = positionOf(this.store.page, state);
    for (const item of this.list.children) {
      const own = Number(/** @type {HTMLElement} */ (item).dataset.at) === at;
      item.setAttribute("aria-selected", String(own));
      /** @type {HTMLElement} */ (item).tabIndex = own ? 0 : -1;
    }
  }

  /** @param {number} at @returns {HTMLElement | null} */
  itemAt(at) {
    return this.list.querySelector(`[data-at="${at}"]`);
  }

  /** @param {number | null} at */
  describe(at) {
    this.words.textContent = at === null ? "" : (this.sayings?.[at] ?? "");
  }

  /** @param {number | null} at */
  choose(at) {
    if (at !== null) setView(this.store, { after: at }, { replace: this.store.get().view.after !== null });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const at = placeIn(event);
    if (at === null || isShortcut(event)) return;
    const to = placeBeside(alongRow(event, this.list), at, this.list.children.length);
    if (to !== null) {
      this.choose(to);
      this.itemAt(to)?.focus();
    } else if (event.key === "Enter" || event.key === " ") this.choose(at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** @param {Event} event */
function placeIn({ target }) {
  const item = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest("[data-at]")) : null;
  return item ? Number(item.dataset.at) : null;
}
