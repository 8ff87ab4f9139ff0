import { noiseOf } from "./previous-answer.js";
import { bothValues, differenceIn } from "../difference/cell-values.js";
import { signed } from "../difference/difference.js";
import { stageOf } from "../core/page.js";
import { selection } from "../core/state.js";
import { h } from "../lib/dom.js";
import { CARD_SIZE, Heatmap } from "../matrix/heatmap.js";
import { legend } from "../matrix/legend.js";
import { labelOf } from "../matrix/names.js";
import { placeOf, formatCell } from "../matrix/cell-text.js";

/** @typedef {import("./changed-stores.js").Lens} Lens */

class Changed extends Heatmap {
  /** @param {State} state */
  light(state) {
    super.light(state);
    writeBoth(this, state, (hover) => bothOf(this.store, state, hover));
  }

  /** @param {State} state @param {SizedPicture} picture */
  describe(state, picture) {
    super.describe(state, picture);
    const { rows, cols } = picture;
    const stage = labelOf(this.store, this.stage.name);
    this.plot.setAttribute("aria-label", this.store.t("change.of", { stage, rows, cols }));
  }
}

/** @param {Heatmap} plate @param {State} state @param {(cell: Cell) => Both} find */
export function writeBoth({ overlay: { readout, cursor }, store }, state, find) {
  if (readout.hidden || !state.hover || !readout.firstElementChild) return;
  const { was, is, delta } = find(state.hover);
  const text = was === is && !delta ? is : `${was} → ${is}${delta && ` (${delta})`}`;
  readout.firstElementChild.textContent = text;
  cursor.setAttribute("aria-label", `${placeOf(store, state, state.hover)}: ${text}`);
}

/**
 * @typedef {{was: string, is: string, delta: string}} Both `delta`: empty if the cell is or was closed
 * @param {Store} store @param {State} state @param {Stage} stage
 * @param {(number | null | undefined)[]} values before, now @param {number} noise changes up to this show as 0
 * @returns {Both}
 */
export function bothIn(store, state, stage, values, noise) {
  const { precision } = state.view;
  const [before, now] = values.map((value) => value ?? null);
  const [was, is] = [before, now].map((value) => formatCell(store, stage, value, precision));
  const by = before === null || now === null ? null : now - before;
  const delta = by === null ? "" : formatCell(store, signed(stage), Math.abs(by) > noise ? by : 0, precision);
  return { was, is, delta };
}

/** @param {State} state of a `Lens` */
const changeIn = (state) => /** @type {import("./previous-answer.js").Change} */ (differenceIn(state));

/** @param {Store} store @param {State} state @param {Cell} cell */
export function bothOf(store, state, cell) {
  const change = changeIn(state);
  const stage = stageOf(store.page, cell.stage);
  const place = selection(state);
  const { a, b } = bothValues(change, cell, place);
  return bothIn(store, state, stage, [a, b], noiseOf(change.b, change.sizeOf(stage, place)));
}

/** @param {Lens} seen @param {Stage} stage @param {{most: number, gutter: number}} size */
export function changePlot({ store }, stage, size) {
  const [picture, foot] = [h("div"), h("div")];
  const same = h("p", { class: "same" }, store.t("change.same"));
  const kind = signed(stage);
  const changed = new Changed(picture, store, kind, size);
  const parts = [changed, legend(foot, store, kind)];
  /** @type {Part} */
  const part = {
    update(state, previous) {
      for (const each of parts) each.update(state, previous);
      if (state.hover !== previous?.hover && state.answer === previous?.answer && state.view === previous?.view) return;
      const change = changeIn(state);
      same.hidden = !change.isSame(kind, selection(state));
      foot.hidden = !same.hidden;
      foot.classList.toggle("still", change.isStill(kind, selection(state)));
    },
    destroy() {
      for (const each of parts) each.destroy();
    },
  };
  return { part, picture, foot, same, canvas: changed.canvas };
}

/** @param {Slots} slots @param {Lens} seen @param {Stage} stage */
export function changedCard(slots, seen, stage) {
  const { part, picture, foot, same, canvas } = changePlot(seen, stage, CARD_SIZE);
  const place = h("div", { class: "change" }, picture, foot, same);
  slots(`card.${stage.name}`).append(place);
  canvas.after(slots(`changed.${stage.name}`));
  return {
    update: part.update,
    destroy() {
      part.destroy();
      place.remove();
    },
  };
}
