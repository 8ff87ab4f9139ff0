import { setNumber, obstacle } from "./apply-edit.js";
import { isParameter, numberAt } from "./edits.js";
import { stageOf } from "../core/page.js";
import { pictureOf } from "../core/picture.js";
import { selection } from "../core/state.js";
import { fill, h } from "../lib/dom.js";
import { valueAt } from "../lib/paint.js";
import { isShortcut } from "../lib/step-keys.js";
import { numberInput } from "./number-input.js";
import { undo } from "./undo.js";
import { labelOf } from "../matrix/names.js";
import { placeOf } from "../matrix/cell-text.js";

const BEGINS = /^[\d.,−-]$/;

/** @param {State} state */
const isOnPinned = ({ hover, view: { cell } }) => !hover?.keys || (hover.row === cell?.row && hover.col === cell.col);

/**
 * Typing a digit, sign or separator on the pinned cell focuses the input.
 * @param {HTMLElement} root @param {HTMLInputElement} input @param {Store} store
 */
function beginOnGrid(root, input, store) {
  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const { target } = event;
    if (root.hidden || input.disabled || isShortcut(event) || !BEGINS.test(event.key)) return;
    const grid = target instanceof Element && target.closest("[role=grid]");
    if (grid && grid.querySelector(".pinned:not([hidden])") && isOnPinned(store.get())) input.focus();
  }

  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

/** @type {import("./apply-edit.js").BenchView} */
export function number(root, bench) {
  const { store } = bench;
  const { t } = store;
  const name = h("span", { class: "place" });
  const id = "number-value";
  const { input, show } = numberInput(
    { id, class: "numeral" },
    (value, how) => setNumber(bench, place(store.get()), value, how),
    () => undo(bench.store),
  );
  const said = h("p", { class: "muted", role: "status" });
  input.addEventListener("input", () => {
    if (input.hasAttribute("aria-invalid")) said.textContent = t("change.finite");
  });
  const label = h("label", { for: id }, t("change.set"), " ", name);
  fill(root, label, input, said);

  const stop = beginOnGrid(root, input, store);

  /** @param {State} state */
  function place({ view }) {
    const { stage, row, col } = /** @type {Cell} */ (view.cell);
    return { tensor: stage, batch: view.batch, row, col };
  }

  /** @param {State} state */
  const given = ({ view: { cell, layer } }) =>
    cell !== null && (isParameter(cell.stage) || (cell.stage === "x" && layer === 0));

  /** @param {State} state */
  function valueOf(state) {
    const at = place(state);
    const known = numberAt(state.question, at);
    if (known !== null || isParameter(at.tensor)) return known ?? state.explanation?.value ?? null;
    const picture = state.answer && pictureOf(store.page, state.answer, stageOf(store.page, "x"), selection(state));
    return (picture && (picture.coarse ? state.explanation?.value : valueAt(picture, at.row, at.col))) ?? null;
  }

  return {
    update(state) {
      const { cell } = state.view;
      root.hidden = !state.answer || !cell || !given(state);
      if (root.hidden || !cell) return;
      const why = obstacle(bench, cell.stage);
      name.textContent = `${labelOf(store, cell.stage)} · ${placeOf(store, state, cell)}`;
      input.disabled = why !== null;
      show(valueOf(state));
      const explicit = state.question.model.source === "explicit";
      const parameter = isParameter(cell.stage);
      fill(said, why ?? t(parameter && !explicit ? "change.becomes_explicit" : "change.follows"));
    },
    destroy() {
      stop();
      fill(root);
    },
  };
}
