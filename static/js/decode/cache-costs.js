import { formatBytes } from "../lib/bytes.js";
import { dataTable } from "../lib/data-table.js";
import { fill, h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { s } from "../lib/svg.js";
import { typeset } from "../lib/notation.js";

const [WIDE, HIGH] = [300, 96]; // pixels of the chart

/** @param {Store} store @param {{name: string, num_kv_heads: number}} variant */
const variantName = ({ t }, { name, num_kv_heads }) =>
  t("decode.variant", { name: name.toUpperCase(), n: num_kv_heads });

/** @param {HTMLElement} root @param {Store} store @param {Replies.Decoding} decoding @param {number} at step index */
export function drawCacheBytes(root, store, { cache, num_steps: decoded }, at) {
  const { t } = store;
  const { variants, bytes_per_row: row, num_layers: layers } = cache;
  const most = Math.max(...variants.map(({ bytes }) => bytes.at(-1) ?? 0));
  const lines = variants.map((variant) => {
    const bar = h("i", { class: "bar" });
    bar.style.width = `${(100 * variant.bytes[at]) / most}%`;
    const parts = [
      h("span", {}, variantName(store, variant)),
      h("span", { class: "track" }, bar),
      h("span", { class: "number" }, formatBytes(variant.bytes[at])),
    ];
    return h("li", { class: variant.own ? "own" : null }, parts);
  });
  fill(
    root,
    h("h3", {}, t("decode.bytes")),
    h("ol", { class: "costs" }, lines),
    decoded > 1 && growthChart(store, variants, most, at),
    h("p", { class: "muted" }, t("decode.bytes_why", { row: formatBytes(row), layers })),
  );
}

/** @param {Store} store @param {Replies.CacheVariant[]} variants @param {number} most @param {number} at */
function growthChart({ t }, variants, most, at) {
  const count = variants[0].bytes.length;
  const x = (/** @type {number} */ step) => 4 + ((WIDE - 8) * step) / Math.max(1, count - 1);
  const y = (/** @type {number} */ bytes) => HIGH - 16 - ((HIGH - 24) * bytes) / most;
  const lines = variants.flatMap(({ bytes, own }) => [
    s("polyline", {
      points: bytes.map((value, step) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`).join(" "),
      class: own ? "grown own" : "grown",
    }),
    s("circle", { cx: x(at), cy: y(bytes[at]), r: own ? 3.2 : 2, class: own ? "reached own" : "reached" }),
  ]);
  return s(
    "svg",
    { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "chart", role: "img", "aria-label": t("decode.growth", { n: count }) },
    s("line", { x1: x(at), x2: x(at), y1: 4, y2: HIGH - 16, class: "rule" }),
    lines,
    s("text", { x: 4, y: HIGH - 3 }, "1"),
    s("text", { x: WIDE - 4, y: HIGH - 3, "text-anchor": "end" }, String(count)),
    s("text", { x: WIDE / 2, y: HIGH - 3, "text-anchor": "middle" }, t("decode.steps")),
  );
}

/** @param {HTMLElement} root @param {Store} store @param {Replies.SharedHeads[]} variants */
export function drawSharedErrors(root, store, variants) {
  const { t } = store;
  const columns = ["of_variant", "of_parameters", "of_weight_error", "of_output_error"];
  const number = (/** @type {number | null} */ value) => (value === null ? "–" : value === 0 ? "0" : format(value, 3));
  const percent = (/** @type {number | null} */ value) =>
    value === null ? "–" : value === 0 ? "0" : value < 1e-6 ? format(value, 2) : `${format(100 * value, 1)} %`;
  const rows = variants.map((one) => ({
    class: one.own ? "own" : null,
    name: variantName(store, one),
    cells: [one.parameters.toLocaleString("en"), number(one.max_weight_error), percent(one.relative_error)],
  }));
  const heads = columns.map((name) => typeset(t(`decode.${name}`)));
  fill(
    root,
    h("h3", {}, t("decode.shared")),
    h("p", { class: "muted" }, t("decode.shared_why")),
    h("div", { class: "sheet", tabindex: "0" }, dataTable({ class: "facts", columns: [heads], bodies: [rows] })),
  );
}
