import { unpin, togglePin, tokenOfEvent } from "../core/pointing.js";
import { placeAfter, isShortcut } from "../lib/step-keys.js";
import { alongRow } from "../lib/reading-order.js";
import { weightsOf, withWeights } from "./weight-row.js";

export class TokenInput {
  /** @param {import("./token-row.js").TokenRow} row */
  constructor(row) {
    this.row = row;
    this.store = row.store;
    this.axis = row.axis;
    this.listen();
  }

  listen() {
    const { root } = this.row;
    root.addEventListener("pointerover", (event) => this.point(tokenOfEvent(event)));
    root.addEventListener("pointerleave", () => this.point(null));
    root.addEventListener("click", (event) => this.press(tokenOfEvent(event)));
    root.addEventListener("keydown", (event) => this.onKey(event));
    root.addEventListener(
      "focusin",
      (event) => root.matches(":has(:focus-visible)") && this.point(tokenOfEvent(event)),
    );
    root.addEventListener("focusout", () => this.row.writing || this.point(null));
  }

  /** @param {number | null} at */
  point(at) {
    const { store, axis } = this;
    if (!store.get().answer) return;
    const { pointed } = store.get();
    if (pointed?.axis === axis && pointed.at === at) return;
    if (at === null) return void (pointed && store.set({ pointed: null, hover: null }, { silent: true }));
    const light = () => store.set({ pointed: { axis, at }, hover: this.cellOf(at) }, { silent: true });
    light();
    this.whenExact(at, () => store.get().pointed?.at === at && light());
  }

  /** @param {number} at @param {() => void} act */
  whenExact(at, act) {
    const { store, axis } = this;
    const picture = weightsOf(store.page, store.get());
    if (!picture || !withWeights(picture, { axis, at }).waits) return;
    const stop = store.subscribe(({ exact }, previous) => {
      if (exact === previous.exact) return;
      stop();
      act();
    });
  }

  /** @param {number} at */
  cellOf(at) {
    const picture = weightsOf(this.store.page, this.store.get());
    const best = picture && withWeights(picture, { axis: this.axis, at }).best;
    if (!best) return null;
    const [row, col] = this.axis === "query" ? [at, best.at] : [best.at, at];
    return { stage: "weights", row, col };
  }

  /** @param {number | null} at */
  press(at) {
    if (at === null) return;
    const { cell } = this.store.get().view;
    const next = this.cellOf(at);
    if (!next) return this.whenExact(at, () => this.cellOf(at) && this.press(at));
    if (cell?.stage === next.stage && (this.axis === "query" ? cell.row : cell.col) === at) unpin(this.store);
    else togglePin(this.store, next);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const at = tokenOfEvent(event);
    if (at === null || isShortcut(event)) return;
    const to = placeAfter(alongRow(event, this.row.root), at, this.row.count);
    if (to !== null) this.walk(to);
    else if (event.key === "Enter" || event.key === " ") this.press(at);
    else if (event.key === "Escape" && this.store.get().view.cell) unpin(this.store);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} to */
  walk(to) {
    this.point(to);
    this.row.itemOf(to)?.focus();
  }
}
