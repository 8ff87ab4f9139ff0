/** What is derived: the choice of f, its value, and what the derivative under the pointer says. */

import { look } from "../data/actions.js";
import { JACOBIAN, jacobianOf, lastOf, rowOf } from "../data/deriving.js";
import { stageOf } from "../data/page.js";
import { pictureOf } from "../data/pictures.js";
import { selection } from "../data/state.js";
import { fill, h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { closed } from "../lib/paint.js";
import { choice, count } from "./choices.js";
import { labelOf, nameOf, placeOf, written } from "./words.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/state.js").Store} Store */
/** @typedef {import("../data/deriving.js").Lens} Lens */

const KINDS = { sum: "gradients.sum", row_norm: "gradients.row_norm", cell: "gradients.cell" };

/**
 * @param {HTMLElement} root
 * @param {Store} store
 * @param {Lens} seen
 * @returns {import("../data/state.js").Part}
 */
export function objective(root, store, seen) {
  const { t } = store;
  const kind = choice((name) => {
    const from = pinned(store.get()) ?? { row: row.selectedIndex, col: col.valueAsNumber || 0 };
    choose({ row: name === "sum" ? null : from.row, col: name === "cell" ? from.col : null });
  });
  const at = choice((name) => choose({ at: /** @type {"output" | "block_output"} */ (name) }));
  const row = choice((index) => choose({ row: Number(index) }));
  const col = h("input", { type: "number", min: 0, step: 1, onchange: () => col.reportValidity() && choose({ col: col.valueAsNumber || 0 }) });
  const layer = choice((index) => look(store, { layer: Number(index) }));
  const head = choice((index) => look(store, { head: Number(index) }));
  const labels = { kind: "gradients.kind", at: "gradients.at", row: "axis.query", col: "gradients.col", layer: "live.layer", head: "live.head" };
  const controls = /** @type {Record<string, HTMLInputElement | HTMLSelectElement>} */ ({ kind, at, row, col, layer, head });
  const fields = Object.fromEntries(
    Object.entries(labels).map(([name, key]) => [name, h("label", { class: "field" }, h("span", {}, t(key)), controls[name])]),
  );
  const value = h("output");
  const reading = h("p", { class: "reading muted" });
  fill(kind, Object.entries(KINDS).map(([name, key]) => h("option", { value: name }, t(key))));
  fill(at, ["output", "block_output"].map((name) => h("option", { value: name }, labelOf(store, name))));
  root.append(h("div", { class: "choices", role: "group", "aria-label": t("gradients.choices") }, Object.values(fields), value), reading);

  /** @param {Partial<import("../data/address.js").View["objective"]>} patch */
  function choose(patch) {
    look(store, { objective: { ...store.get().view.objective, ...patch } });
  }

  return {
    update(state) {
      const { reply, told } = /** @type {import("../data/deriving.js").Derivatives} */ (state.answer);
      const { num_layers, num_heads, n } = reply.shape;
      const { kind: now, at: stage, row: query = n - 1, col: column = 0 } = told.objective;
      count(layer, num_layers, state.view.layer, String);
      count(head, num_heads, state.view.head, String);
      count(row, n, query, (index) => nameOf(state, "query", index));
      kind.value = now;
      at.value = stage;
      if (document.activeElement !== col) col.value = String(column);
      fields.layer.hidden = num_layers < 2;
      fields.head.hidden = num_heads < 2;
      fields.row.hidden = now === "sum";
      fields.col.hidden = now !== "cell";
      fields.at.hidden = bare(state);
      value.textContent = t("gradients.value", { value: format(told.value, state.view.precision) });
      reading.textContent = readingOf(store, seen, state);
    },
    destroy: () => root.replaceChildren(),
  };
}

/**
 * The pinned cell, where f can be made of it: a number of the last layer's outputs.
 * @param {State} state
 */
function pinned({ answer, view: { cell, layer } }) {
  const last = answer?.reply.shape.num_layers === layer + 1;
  return cell && last && ["output", "block_output"].includes(cell.stage) ? cell : null;
}

/**
 * With one layer of attention alone the block output is the output.
 * @param {State} state
 */
function bare({ answer, question: { model } }) {
  return answer?.reply.shape.num_layers === 1 && (model.block ?? "attention") === "attention" && !model.mlp;
}

/**
 * What the derivative of the cell under the pointer, or of the pinned one, says.
 * @param {Store} store
 * @param {Lens} seen
 * @param {State} state
 */
function readingOf(store, seen, state) {
  const { t, page } = store;
  const { hover, view, answer } = state;
  const cell = hover ?? view.cell;
  const { of, reply } = /** @type {import("../data/deriving.js").Derivatives} */ (answer);
  if (!cell) return t(view.layer === lastOf(reply) ? "gradients.hint" : "gradients.hint_layer", { layer: lastOf(reply) });
  const { stage: name, row, col } = cell;
  const stage = stageOf(seen.store.page, name);
  const jacobian = name === JACOBIAN.name;
  const picture = jacobian
    ? jacobianOf(page, { ...state, answer: of }, rowOf(page, state))
    : answer && pictureOf(seen.store.page, answer, stage, selection(state));
  if (!picture || row >= picture.rows || col >= picture.cols) return "";
  const derivative = picture.values[row * picture.cols + col];
  const names = { one: nameOf(state, "key", row), other: nameOf(state, "key", col) };
  const told = { cell: `${labelOf(store, name)}, ${placeOf(seen.store, state, cell)}`, ...names };
  if (closed(picture, row, col)) return t("gradients.closed", told);
  const change = written(seen.store, stage, derivative, view.precision);
  if (jacobian) return t("gradients.reading_weight", { ...told, change });
  const number = of.block(stageOf(page, name), selection(state))?.values[row * picture.cols + col];
  const value = number === undefined ? "" : t("gradients.now", { value: format(number, view.precision) });
  return `${t("gradients.reading", { ...told, change })} ${value}`;
}
