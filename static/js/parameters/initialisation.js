import { dataTable } from "../lib/data-table.js";
import { fill, h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { shapeText, typeset } from "../lib/notation.js";

const DECIMALS = 5;

/** @param {number | null} value */
const number = (value) => (value === null ? "–" : format(value, DECIMALS));
/** @param {number} value */
const whole = (value) => value.toLocaleString("en");

/** @param {HTMLElement} root @param {Store} store @param {Replies.Initialisation} found */
export function drawInitialisation(root, { t }, found) {
  const schemes = table(
    [t("parameters.scheme"), ...found.schemes[0].tensors.map(({ name, shape }) => `${name} ${shapeText(shape)}`)],
    found.schemes.map(({ init, own, tensors }) => ({
      own,
      cells: [init, ...tensors.map(pair)],
    })),
  );
  const tensors = table(
    ["tensor", "shape", "predicted", "measured", "error"].map((name) => t(`parameters.${name}`)),
    found.tensors.map(({ name, shape, predicted, measured, standard_error: error }) => ({
      cells: [name, shapeText(shape), number(predicted), number(measured), error === null ? "–" : `± ${number(error)}`],
    })),
  );
  const signal = table(
    ["stage", "predicted", "measured"].map((name) => t(`parameters.${name}`)),
    found.signal.map(({ stage, predicted, measured }) => ({ cells: [stage, number(predicted), number(measured)] })),
  );
  const counts = table(
    ["of_layout", "of_heads", "of_projections", "of_biases", "of_w_o", "of_b_o", "of_total"].map((name) =>
      t(`parameters.${name}`),
    ),
    found.counts.map((one) => ({
      own: one.name === "grouped",
      cells: [
        t(`parameters.count.${one.name}`),
        `${one.num_heads} / ${one.num_kv_heads}`,
        ...[one.projections, one.biases, one.output, one.output_bias, one.total].map(whole),
      ],
    })),
  );
  fill(
    root,
    h("h3", {}, t("parameters.initialisation")),
    h("p", { class: "muted" }, t(found.init ? "parameters.initialisation_why" : "parameters.initialisation_given")),
    h("div", { class: "sheet", tabindex: "0" }, schemes),
    h(
      "div",
      { class: "columns" },
      part(t("parameters.own", { init: found.init ?? t("parameters.nobody") }), "", tensors),
      part(t("parameters.signal"), t("parameters.signal_why"), signal),
      part(t("parameters.counts"), t("parameters.counts_why"), counts),
    ),
  );
}

/** @param {string} title @param {string} why @param {HTMLElement} content */
const part = (title, why, content) =>
  h(
    "div",
    {},
    h("h3", {}, title),
    why && h("p", { class: "muted" }, why),
    h("div", { class: "sheet", tabindex: "0" }, content),
  );

/** @param {Replies.Variance} variance */
const pair = ({ predicted, measured }) => [number(predicted), " · ", h("b", {}, number(measured))];

/** @param {string[]} heads @param {{own?: boolean, cells: any[]}[]} rows */
function table(heads, rows) {
  const body = rows.map(({ own, cells: [name, ...cells] }) => ({
    class: own ? "own" : null,
    name: typeset(name),
    cells,
  }));
  return dataTable({ class: "facts", columns: [heads.map(typeset)], bodies: [body] });
}
