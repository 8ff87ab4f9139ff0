import { partsOf } from "../core/pieces.js";
import { fill, h } from "../lib/dom.js";
import { lazyLoad } from "../lib/load.js";
import { format } from "../lib/numbers.js";
import { runsRight } from "../lib/scripts.js";
import { nameOf } from "../matrix/names.js";
import { tokensOf } from "./weight-row.js";

export const MOST = 64;
const BEFORE = 0.75; // share of the window before the token: causal queries attend to earlier keys

/** @typedef {{from: number, to: number}} Part [from, to) */

/**
 * The previous window stays while it contains the token.
 * @param {number} count @param {number} at @param {Part | null} before
 */
export function partAround(count, at, before) {
  const size = Math.min(count, MOST);
  if (before && before.to <= count && before.to - before.from === size && holds(before, at)) return before;
  const from = Math.max(0, Math.min(count - size, Math.round(at - BEFORE * MOST)));
  return { from, to: from + size };
}

/** @param {Part} part @param {number} at */
export const holds = ({ from, to }, at) => at >= from && at < to;

export const LEAST_NUMBERED = 0.05; // least weight with a number
const SMALL = 16; // tokens; with more, smaller type
const DENSE = 40;
const LONG = 12; // letters; a longer word may break
const WORD = /[\p{L}\p{N}]/u;
const HAN = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{P}]+$/u;

export class TokenRow {
  /** @type {Part | null} */
  part = null;
  count = 0;
  writing = false; // `TokenInput` ignores `focusout` meanwhile
  /** @type {Map<number, import("./arc-layer.js").Box>} by token */
  boxes = new Map();
  /** @type {HTMLElement[]} */
  marked = [];

  /** @type {(() => void) | null} */
  turn = null;

  /** @param {Store} store @param {Axis} axis @param {() => void} [turned] */
  constructor(store, axis, turned) {
    this.store = store;
    this.turned = turned;
    this.axis = axis;
    this.root = h("ol", {
      class: `sentence-tokens axis-${axis}`,
      role: "listbox",
      translate: "no",
      "aria-orientation": "horizontal",
      "aria-label": store.t(`sentence.${axis}`),
    });
  }

  /** @param {number} at */
  itemOf(at) {
    return /** @type {HTMLElement | null} */ (this.root.children[at - (this.part?.from ?? 0)] ?? null);
  }

  /**
   * @param {State} state @param {number} at @param {boolean} fresh whether tokens changed
   * @returns whether tokens were written
   */
  show(state, at, fresh) {
    const tokens = tokensOf(state, this.axis);
    const part = partAround(tokens.length, at, fresh ? null : this.part);
    if (part === this.part && !fresh) return false;
    this.part = part;
    this.count = tokens.length;
    const size = part.to - part.from;
    this.root.classList.toggle("small", size > SMALL);
    this.root.classList.toggle("dense", size > DENSE);
    const held = this.root.contains(document.activeElement);
    this.writing = true;
    fill(
      this.root,
      tokens.slice(part.from, part.to).map((_, index) => this.item(state, tokens, part.from + index)),
    );
    this.marked = [];
    this.turn = null;
    this.root.dir = "";
    if (runsRight(tokens))
      lazyLoad(() => import("../core/token-order.js")).then(({ order }) =>
        order(this, tokens.slice(part.from, part.to), part),
      );
    if (held) this.itemOf(at)?.focus();
    this.writing = false;
    return true;
  }

  /** @param {State} state @param {Label[]} tokens @param {number} at */
  item(state, tokens, at) {
    const { text, char, joined } = tokens[at];
    const written = partsOf(char ?? text).word || nameOf(state, this.axis, at);
    const label = this.store.t("sentence.token", { token: written, at });
    const attributes = { role: "option", "data-at": at, tabindex: -1, "aria-selected": "false", "aria-label": label };
    // Bytes of one character share a word, at the first byte.
    const rest = joined && char && tokens[at - 1].char;
    // Brackets and signs without letters take the direction of their item, which mirrors them.
    const dir = /\p{L}/u.test(written) && "auto";
    const word = h("span", { dir, class: written.length > LONG && "long" }, rest ? "" : written);
    const beside = at > 0 && isJoined(tokens[at - 1].text, text);
    return h("li", { ...attributes, title: label, class: joined ? "part" : beside && "joined" }, word, " ", h("b"));
  }

  /** Measures words, relative to `frame`. @param {DOMRect} frame */
  measure(frame) {
    this.turn?.();
    const items = /** @type {HTMLElement[]} */ ([...this.root.children]);
    this.boxes = new Map(
      items.map((item) => {
        const { left, top, width, height } = /** @type {Element} */ (item.firstChild).getBoundingClientRect();
        return [Number(item.dataset.at), { left: left - frame.left, top: top - frame.top, width, height }];
      }),
    );
  }

  /** @param {number | null} at @param {number | null} selected @param {import("./weight-row.js").Entry[]} entries */
  mark(at, selected, entries) {
    for (const item of this.marked.splice(0)) this.clear(item);
    const stop = this.itemOf(at ?? selected ?? -1) ?? /** @type {HTMLElement | null} */ (this.root.firstChild);
    for (const { at: to, weight } of entries) this.showWeight(this.itemOf(to), weight);
    const [own, pinned] = [at, selected].map((each) => (each === null ? null : this.itemOf(each)));
    own?.classList.add("seen");
    pinned?.setAttribute("aria-selected", "true");
    if (stop) stop.tabIndex = 0; // the row has one tab stop
    this.marked.push(...[stop, own, pinned].filter((each) => each !== null && each !== undefined));
  }

  /** @param {HTMLElement | null} item @param {number} weight */
  showWeight(item, weight) {
    if (!item) return;
    item.style.setProperty("--weight", String(Math.min(1, weight)));
    item.classList.add("met");
    if (weight >= LEAST_NUMBERED) this.number(item, format(weight, 2));
    this.marked.push(item);
  }

  /** @param {HTMLElement} item @param {string} number */
  number(item, number) {
    /** @type {HTMLElement} */ (item.lastChild).textContent = number;
    const word = item.firstChild?.textContent ?? "";
    item.setAttribute("aria-label", number ? item.title.replace(word, () => `${word} ${number}`) : item.title);
  }

  /** @param {HTMLElement} item */
  clear(item) {
    item.classList.remove("met", "seen");
    item.style.removeProperty("--weight");
    item.setAttribute("aria-selected", "false");
    item.tabIndex = -1;
    this.number(item, "");
  }
}

/**
 * Whether tokens join without a space: before punctuation, and between Chinese or Japanese texts.
 * @param {string} before @param {string} text
 */
function isJoined(before, text) {
  if (/\s$/.test(before) || /^\s/.test(text)) return false;
  return !WORD.test(text) || (HAN.test(text) && HAN.test(before));
}
