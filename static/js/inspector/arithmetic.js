/** Shows how a cell is computed. An operand of a stage links to its cell. */

import { follow } from "../core/cell-trail.js";
import { allStages } from "../core/page.js";
import { rowTimesColumn } from "../core/row-times-column.js";
import { h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { placeOf } from "../matrix/cell-text.js";
import { labelOf } from "../matrix/names.js";
import { decimalsOf } from "./row-bars.js";

export const MOST = 100; // lines; longer lists stay folded in print

/** @param {HTMLElement} root @param {AbortSignal} signal */
export function unfoldOnPaper(root, signal) {
  /** @type {(() => void)[]} */
  const undo = [];
  const each = () => /** @type {HTMLElement[]} */ ([...root.querySelectorAll("[data-folded]")]);
  addEventListener("beforeprint", () => undo.push(...each().map(unfold)), { signal });
  addEventListener("afterprint", () => undo.splice(0).forEach((fold) => fold()), { signal });
}

/** @param {HTMLElement} folded @returns a function that folds again */
function unfold(folded) {
  if (folded instanceof HTMLDetailsElement) {
    const { open } = folded;
    folded.open = true;
    return () => void (folded.open = open);
  }
  const list = /** @type {Element} */ (folded.previousElementSibling);
  const first = [...list.children];
  folded.click();
  return () => {
    list.replaceChildren(...first);
    list.after(folded);
  };
}

const SHOWN = 16;

/** @param {Store} store @param {State} state @param {Cell} cell @param {Explanation} explanation */
export function arithmetic(store, state, cell, explanation) {
  const steps = explanation.steps.toReversed().map((step) => stepOf(store, state, cell, step));
  return h("ol", { class: "steps", translate: "no" }, steps);
}

/** @param {Store} store @param {State} state @param {Cell} cell @param {ExplanationStep} step */
function stepOf(store, state, cell, step) {
  const decimals = step.stage === "weights" ? decimalsOf(state, step.value ?? 0) : state.view.precision;
  const product = rowTimesColumn(step);
  const open = step.stage === cell.stage && step.stage !== "weights"; // bars show the operands of a weight
  return h(
    "li",
    { class: "step" },
    h("h3", {}, labelOf(store, step.stage), h("span", {}, format(step.value, decimals))),
    product && open ? null : h("p", { class: "expression" }, step.short ?? step.expression),
    product ? products(store, state, product, open) : operands(store, state, step, open),
  );
}

/**
 * Lines "operand × operand = term".
 * @param {Store} store @param {State} state
 * @param {NonNullable<ReturnType<typeof rowTimesColumn>>} product @param {boolean} open
 */
function products(store, state, { left, right, bias }, open) {
  const { precision } = state.view;
  const titles = [labelOf(store, left[0].stage), "×", labelOf(store, right[0].stage), "=", ""];
  const head = titles.map((title) => h("span", {}, title));
  const lines = left.map((a, index) => {
    const b = right[index];
    const term = (a.value ?? 0) * (b.value ?? 0);
    return h(
      "li",
      {},
      link(store, state, a),
      h("span", {}, "×"),
      link(store, state, b),
      h("span", {}, "="),
      h("span", { class: "term" }, format(term, precision)),
    );
  });
  if (bias) lines.push(h("li", {}, h("span", {}, "+"), link(store, state, bias)));
  return list(store, lines, open, "terms", h("li", { class: "head" }, head));
}

/** @param {Store} store @param {State} state @param {ExplanationStep} step @param {boolean} open */
function operands(store, state, step, open) {
  const lines = step.operands.map((operand) =>
    h("li", {}, link(store, state, operand), h("span", { class: "of" }, nameOf(store, state, operand))),
  );
  return list(store, lines, open || lines.length === 1, "operands");
}

/**
 * The first lines and a button for the others.
 * @param {Store} store @param {HTMLElement[]} lines @param {boolean} open @param {string} name
 * @param {HTMLElement} [head]
 */
function list(store, lines, open, name, head) {
  const shown = h("ul", { class: name }, head, lines.slice(0, SHOWN));
  if (lines.length > SHOWN) {
    const rest = h(
      "button",
      { class: "link", ...folded(lines.length), onclick: () => (rest.remove(), shown.append(...lines.slice(SHOWN))) },
      store.t("inspector.all", { n: lines.length }),
    );
    return fold(store, [shown, rest], lines.length, open);
  }
  return fold(store, [shown], lines.length, open);
}

/** @param {Store} store @param {HTMLElement[]} inside @param {number} n @param {boolean} open */
function fold(store, inside, n, open) {
  if (open) return h("div", {}, inside);
  return h("details", folded(n), h("summary", {}, store.t("inspector.operands", { n })), inside);
}

/** Lets printing unfold short lists. @param {number} n */
const folded = (n) => ({ "data-folded": n <= MOST });

/** @param {Store} store @param {Operand} operand */
const isKnown = ({ page }, { stage }) => allStages(page).some(({ name }) => name === stage);

/** @param {Store} store @param {State} state @param {Operand} operand */
function nameOf(store, state, operand) {
  const label = labelOf(store, operand.stage);
  return isKnown(store, operand) ? `${label} · ${placeOf(store, state, operand)}` : label;
}

/** @param {Store} store @param {State} state @param {Operand} operand */
function link(store, state, operand) {
  const text = format(operand.value, state.view.precision);
  if (!isKnown(store, operand)) return h("span", { class: "operand" }, text);
  const name = nameOf(store, state, operand);
  const names = { class: `operand of-${operand.stage}`, title: name, "aria-label": `${name}: ${text}` };
  return h("button", { ...names, onclick: () => follow(store, operand) }, text);
}
