import { Problem } from "../core/api.js";
import { typedPosition } from "../core/token-windows.js";
import { isComposing } from "../lib/composing.js";
import { h } from "../lib/dom.js";
import { makeSelect, setOptions } from "../lib/select.js";

/** @param {string} text */
const bare = (text) => text.trim().toLowerCase();

/**
 * Positions of tokens that equal the text, else of those that contain it.
 * @param {(string | null)[]} tokens @param {string} text
 */
export function foundIn(tokens, text) {
  const sought = bare(text);
  if (!sought) return [];
  const whole = [];
  const parts = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === null) continue;
    const own = bare(token);
    if (own === sought) whole.push(at);
    else if (own.includes(sought)) parts.push(at);
  }
  return whole.length ? whole : parts;
}

/**
 * Next match, or the previous if `way` is -1; wraps around.
 * @param {number[]} found ascending @param {number | null} from @param {1 | -1} way
 */
export function nextOf(found, from, way) {
  if (from === null) return way === 1 ? found[0] : found[found.length - 1];
  const after = way === 1 ? found.find((at) => at > from) : found.findLast((at) => at < from);
  return after ?? (way === 1 ? found[0] : found[found.length - 1]);
}

const NEAR = 14; // px; least side of a found cell
const AXES = /** @type {const} */ (["key", "query"]);

export class FindBox {
  /** @param {import("./map-plate.js").MapPlate} plate */
  constructor(plate) {
    const { t } = plate.store;
    this.plate = plate;
    this.store = plate.store;
    this.text = h("input", {
      type: "search",
      maxlength: 200,
      placeholder: t("map.find"),
      "aria-label": t("map.find"),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.onKey(event),
      oninput: () => this.forget(),
    });
    this.axis = makeSelect(() => this.forget(), { "aria-label": t("map.find_in") });
    setOptions(this.axis, AXES, "key", (axis) => t(`map.axis.${axis}`));
    const onFind = (/** @type {1 | -1} */ way) => () => this.findNext(way);
    const buttons = h(
      "span",
      { class: "pair" },
      h(
        "button",
        { class: "icon", "aria-label": t("map.previous"), title: t("map.previous"), onclick: onFind(-1) },
        "‹",
      ),
      h("button", { class: "icon", "aria-label": t("map.next"), title: t("map.next"), onclick: onFind(1) }, "›"),
    );
    this.status = h("p", { class: "muted", role: "status" });
    this.root = h("div", { class: "find" }, this.text, h("div", { class: "find-in" }, this.axis, buttons), this.status);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.key !== "Enter" || isComposing(event)) return;
    event.preventDefault();
    this.findNext(event.shiftKey ? -1 : 1);
  }

  forget() {
    this.status.textContent = "";
    this.plate.found = null;
    this.plate.redraw();
  }

  /** @param {1 | -1} way */
  async findNext(way) {
    const { sheet } = this.plate;
    const axis = /** @type {Axis} */ (this.axis.value);
    const text = this.text.value;
    if (!sheet || !text.trim()) return this.text.focus();
    const place = typedPosition(text.trim(), sheet.tokens[axis].size);
    if (place !== null) return this.show(sheet, axis, [place], way);
    try {
      const found = foundIn(await sheet.tokens[axis].fetchAll(), text);
      if (this.plate.sheet !== sheet || this.text.value !== text) return;
      if (found.length) this.show(sheet, axis, found, way);
      else this.status.textContent = this.store.t("map.none_found");
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.status.textContent = problem.message || this.store.t("problem.offline");
    }
  }

  /** @param {Maps.Sheet} sheet @param {Axis} axis @param {number[]} found @param {1 | -1} way */
  show(sheet, axis, found, way) {
    const { plate } = this;
    const now = plate.found?.axis === axis ? plate.found.at : null;
    const at = nextOf(found, now, way);
    plate.found = { axis, at };
    const { goal } = plate;
    const scale = Math.max(goal.scale, NEAR);
    const other = otherIndex(axis, at, sheet.size, goal);
    const place = axis === "query" ? { row: at + 0.5, col: other, scale } : { row: other, col: at + 0.5, scale };
    plate.approach(place, true);
    const name = sheet.tokens[axis].wordOf(at);
    this.status.textContent = this.store.t("map.found", { n: found.indexOf(at) + 1, all: found.length, name });
  }
}

/** @param {Axis} axis @param {number} at @param {Size} size @param {Maps.Place} goal */
function otherIndex(axis, at, { rows, cols }, { row, col, scale }) {
  const diagonal = Math.min(at, (axis === "query" ? cols : rows) - 1) + 0.5;
  if (scale < NEAR) return diagonal;
  if (rows !== cols) return axis === "query" ? col : row;
  return axis === "query" ? Math.min(col, diagonal) : Math.max(row, diagonal);
}
