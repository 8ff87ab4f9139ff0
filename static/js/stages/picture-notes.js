/** Notes on left-out keys, and on a large value that makes a picture look empty. */

import { setView } from "../core/actions.js";
import { inWords, ofWeights } from "../core/in-words.js";
import { stagesOn, sides } from "../core/page.js";
import { pictureOf } from "../core/picture.js";
import { selection } from "../core/state.js";
import { h } from "../lib/dom.js";
import { short } from "../lib/numbers.js";
import { isClosed } from "../lib/paint.js";
import { percent } from "../lib/percent.js";
import { makeSlots } from "../lib/slots.js";
import { LeftOutChoice, leftOutWords } from "../matrix/left-out.js";
import { nameOf } from "../matrix/names.js";

/** @type {ViewOf} */
export const leftOutNotes = (_, store, slots = makeSlots()) => {
  const { t } = store;
  const [onCard, onLarge, onCell] = /** @type {const} */ (["span", "p", "p"]).map((tag) => h(tag, { class: "muted" }));
  const all = h("button", { type: "button", onclick: () => setView(store, { skip: [] }) }, t("heads.skip_end"));
  const card = h("p", { class: "left-out", hidden: true }, onCard, " ", all);
  const choice = new LeftOutChoice(store);
  const large = h("div", { class: "left-out", hidden: true }, choice.root, onLarge);
  slots("legend.weights").append(card);
  slots("large").append(large);
  slots("cell").append(onCell);
  onCell.hidden = true;
  return {
    update(state) {
      const { answer, view } = state;
      if (!answer) return;
      const among = view.tab === "stages";
      const past = ofWeights(state) !== inWords(state); // the numbers without these keys have arrived
      const said = past ? leftOutWords(store, state) + t("text.between") + t("heads.skip_later") : "";
      card.hidden = !among || !past;
      onCard.textContent = onLarge.textContent = said;
      large.hidden = !among || view.stage !== "weights";
      if (!large.hidden) choice.show(state);
      onCell.hidden = !past || view.cell?.stage !== "weights";
      onCell.textContent = leftOutWords(store, state, "heads.skip_cell");
    },
    destroy() {
      for (const part of [card, large, onCell]) part.remove();
    },
  };
};

const FAINT = 1 / 64; // share of the largest value; smaller values are hardly visible
const MOST = 0.98; // share of faint cells; with more, a picture looks empty

/** @typedef {{row: number, value: number, faint: number, share: number}} Outlier */

/** @type {WeakMap<object, Outlier | null>} */
const known = new WeakMap();

/**
 * The largest value if nearly all open cells (or points of a quantised picture) are faint.
 * @param {Picture & {size: number}} picture
 */
export function outlierOf(picture) {
  let found = known.get(picture);
  if (found === undefined) known.set(picture, (found = find(picture)));
  return found;
}

/** @param {Picture & {size: number}} picture */
function find(picture) {
  const points = picture.coarse?.asPoints(picture) ?? picture;
  const faint = picture.size * FAINT;
  const most = (1 - MOST) * points.values.length;
  let [count, clear, row, value] = [0, 0, 0, 0];
  for (let at = 0; at < points.values.length; at++) {
    const here = Math.floor(at / points.cols);
    if (isClosed(points, here, at % points.cols)) continue;
    const each = points.values[at];
    count += 1;
    if (!(Math.abs(each) <= faint) && ++clear > most) return null;
    if (Math.abs(each) > Math.abs(value)) [row, value] = [here, each];
  }
  const share = (count - clear) / count;
  return share >= MOST && share < 1 ? { row: row * (picture.coarse?.side[0] ?? 1), value, faint, share } : null;
}

/** Rounds up to two significant digits. @param {number} size */
function above(size) {
  const unit = 10 ** (Math.floor(Math.log10(size)) - 1);
  return Math.ceil(size / unit) * unit;
}

/** @type {ViewOf} */
export const outlierNotes = (_, store, slots = makeSlots()) => {
  const stages = stagesOn(store.page).filter(({ kind }) => kind === "signed");
  const notes = stages.map((stage) => {
    const note = h("p", { class: "outlier muted", hidden: true });
    slots(`legend.${stage.name}`).append(note);
    return { stage, note };
  });
  return {
    update(state, previous) {
      if (!state.answer || (state.answer === previous?.answer && state.view === previous.view)) return;
      for (const { stage, note } of notes) {
        const picture = pictureOf(store.page, state.answer, stage, selection(state));
        const found = picture && outlierOf(picture);
        note.hidden = !found;
        if (!found) continue;
        const { row, value, faint, share } = found;
        const token = nameOf(state, sides(stage).rows, row).trim();
        const values = { token, value: short(value, 2), faint: short(above(faint), 6), share: percent(share) };
        note.textContent = store.t("legend.outlier", values);
      }
    },
    destroy() {
      for (const { note } of notes) note.remove();
    },
  };
};
