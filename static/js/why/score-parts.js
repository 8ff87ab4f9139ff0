/** Panel that splits a pinned score into parts. */

import { setView } from "../core/actions.js";
import { wholeOf } from "../core/answer.js";
import { answerKey, fetchPart, keyedRequest } from "../core/traces.js";
import { refusal } from "../core/refusal-words.js";
import { isLong } from "../core/state.js";
import { inWords } from "../core/in-words.js";
import { fill, h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { partsTable, strongestWords } from "./parts-table.js";

const MAPS = ["scores", "scaled_scores", "masked_scores", "weights"];

/** @type {ViewOf} */
export const scoreParts = (_, store, slots) => new ScorePartsPanel(/** @type {any} */ (slots)("cell"), store);

class ScorePartsPanel {
  /** @type {Replies.ScoreParts | null} */
  found = null;

  /** @param {HTMLElement} slot @param {Store} store */
  constructor(slot, store) {
    const { t } = store;
    this.slot = slot;
    this.store = store;
    this.content = h("div", { role: "status" });
    this.root = h("details", { class: "why" }, h("summary", {}, t("why.title")), this.content);
    this.root.addEventListener("toggle", () => this.turn());
    this.want = keyedRequest(
      (/** @type {Replies.ScoreParts} */ found) => this.take(found),
      (problem) => fill(this.content, h("p", { class: "muted" }, refusal(store, problem))),
      this.content,
    );
  }

  turn() {
    const { open } = this.root;
    if (open !== this.store.get().view.why) setView(this.store, { why: open }, { replace: true });
  }

  /** @param {State} state @param {State} [previous] */
  update(state, previous) {
    const { cell, why, layer, head, batch } = state.view;
    // A weight between words comes from several scores.
    const between = cell?.stage === "weights" && inWords(state) !== state;
    if (!cell || between || !isShown(state)) return this.root.remove();
    if (this.root.parentElement !== this.slot) this.slot.append(this.root);
    if (this.root.open !== why) this.root.open = why;
    if (!why || state.status !== "ready") return;
    if (isLong(state)) return fill(this.content, h("p", { class: "muted" }, this.store.t("long.why.score")));
    const place = { layer, head, batch, row: cell.row, col: cell.col };
    const key = [state.answer?.reply.trace, state.attempt, ...Object.values(place)].join(" ");
    this.want(key, () => fetchPart(state, "cells/scores/parts", place), answerKey(state));
    if (this.found && state.theme !== previous?.theme) this.draw(this.found);
  }

  /** @param {Replies.ScoreParts} found */
  take(found) {
    this.found = found;
    this.draw(found);
  }

  /** @param {Replies.ScoreParts} found */
  draw(found) {
    const { store } = this;
    const state = store.get();
    if (!state.view.cell) return;
    const { t } = store;
    const sum = t("why.sum", { score: format(found.score, state.view.precision) });
    const parts = [
      partsTable(store, state, found),
      h("p", { class: "sum" }, sum),
      h("p", {}, strongestWords(store, state, found)),
    ];
    fill(this.content, parts, h("p", { class: "muted" }, t("why.frozen")));
  }

  destroy() {
    this.root.remove();
  }
}

/** False for other stages, in Gradients, with a second text, and for masked scores. @param {State} state */
function isShown({ view: { cell, tab }, answer, explanation }) {
  const shut = explanation?.masked_because;
  return Boolean(
    cell &&
    MAPS.includes(cell.stage) &&
    tab !== "gradients" &&
    !(answer && wholeOf(answer.reply).context_lengths) &&
    !shut,
  );
}
