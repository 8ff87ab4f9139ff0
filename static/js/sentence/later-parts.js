/** Parts of the sentence that load after its numbers. */

import { hasSameNumbers } from "../core/state.js";
import { windowsOf } from "../core/token-windows.js";
import { h } from "../lib/dom.js";
import { HeadChips } from "./head-chips.js";
import { PredictionLine } from "./line-predictions.js";
import { ManyPieces, WordSwitch } from "./pieces-and-words.js";
import { TokenInput } from "./token-input.js";
import { CaptionLine } from "./token-line.js";
import { MOST } from "./token-row.js";

const APART = 26; // px between numbers

/** Hides numbers that would overlap larger ones. @param {import("./token-row.js").TokenRow} row */
export function thinOut({ marked, boxes }) {
  /** @type {{left: number, top: number}[]} */
  const written = [];
  const weight = (/** @type {HTMLElement} */ item) => Number(item.style.getPropertyValue("--weight"));
  const numbered = [...new Set(marked)].filter((item) => item.lastChild?.textContent);
  for (const item of numbered.sort((one, other) => weight(other) - weight(one))) {
    const { left, top, width } = boxes.get(Number(item.dataset.at)) ?? { left: 0, top: 0, width: 0 };
    const place = { left: left + width / 2, top };
    const hidden = written.some((each) => each.top === place.top && Math.abs(each.left - place.left) < APART);
    item.classList.toggle("crowded", hidden);
    if (!hidden) written.push(place);
  }
}

export { turn } from "../lib/time-slices.js";

/** @typedef {{drawn: State | undefined, look: (state: State) => void}} Picture */

const REST = 100; // ms of rest before a long text is redrawn
const CHOSEN = /** @type {const} */ (["view", "pointed", "question"]);

/**
 * Scrolls to the line of the current token.
 * @param {HTMLElement} view @param {import("./token-row.js").TokenRow[]} rows
 * @param {import("./weight-row.js").Seen} seen
 */
function bringIntoSight(view, rows, { axis, at }) {
  const box = (rows.find((row) => row.axis === axis) ?? rows[0]).boxes.get(at);
  const { scrollTop, clientHeight, scrollHeight } = view;
  if (!box || scrollHeight <= clientHeight) return;
  const hidden = box.top < scrollTop || box.top + box.height > scrollTop + clientHeight;
  if (hidden) view.scrollTop = box.top - (clientHeight - box.height) / 2;
}

/** @param {Axis} axis */
const otherThan = (axis) => (axis === "query" ? "key" : "query");

/**
 * @param {HTMLElement} root @param {import("./token-row.js").TokenRow[]} rows @param {Store} store
 * @param {HTMLElement} line @param {Picture} picture
 */
export function complete(root, rows, store, line, picture) {
  const view = /** @type {HTMLElement} */ (rows[0].root.closest(".sentence-view"));
  let led = "";
  const chips = h("div", { class: "head-chips" });
  root.append(chips);
  for (const row of rows) new TokenInput(row);
  const heads = new HeadChips(chips, store);
  const said = new CaptionLine(line, store);
  const updatePieces = pieceParts(root, store.base ?? store, said.next);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let resting;
  /** @type {number | undefined} */
  let following;

  function now() {
    following = undefined;
    if (picture.drawn !== store.get()) picture.look(store.get());
  }

  function rest() {
    const state = store.get();
    const act = () => picture.look(state);
    if (state.hover || picture.drawn?.hover) keepInPlace(root, act);
    else act();
  }

  return {
    /**
     * Redraws at once for new numbers or choices; else a frame later, in a long text once the pointer rests.
     * @param {State} state
     */
    follow(state) {
      const { drawn } = picture;
      const same = hasSameNumbers(state, drawn) && CHOSEN.every((name) => state[name] === drawn?.[name]);
      clearTimeout(resting);
      if (!same) picture.look(state);
      else if (rows[0].count > MOST) resting = setTimeout(rest, REST);
      else following ??= requestAnimationFrame(() => setTimeout(now));
    },
    /** @param {State} state @param {import("./weight-row.js").Seen | null} seen */
    show(state, seen) {
      for (const { axis, part } of rows)
        if (part) windowsOf(store).want(`sentence ${axis}`, axis, [part.from, part.to]);
      if (seen?.best) windowsOf(store).want("seen", otherThan(seen.axis), [seen.best.at, seen.best.at + 1]);
      said.show(state, seen);
      rows.forEach(thinOut);
      const token = seen && `${seen.axis} ${seen.at}`;
      if (token && token !== led) bringIntoSight(view, rows, seen);
      led = token ?? led;
    },
    /** @type {Part["update"]} */
    update(state, previous) {
      heads.update(state, previous);
      updatePieces();
    },
  };
}

/** @param {HTMLElement} root @param {Store} store with pieces as tokens @param {HTMLElement} line */
function pieceParts(root, store, line) {
  const parts = [new PredictionLine(line, store), new WordSwitch(root, store), new ManyPieces(root, store)];
  /** @type {State | undefined} */
  let drawn;
  return () => {
    const state = store.get();
    for (const part of parts) part.update(state, drawn);
    drawn = state;
  };
}

/**
 * Keeps the element in place while heights above it change.
 * @param {HTMLElement} element @param {() => void} act
 */
function keepInPlace(element, act) {
  const before = element.getBoundingClientRect().top;
  act();
  scrollBy({ top: element.getBoundingClientRect().top - before, behavior: "instant" });
}
