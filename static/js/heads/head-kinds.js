/** Kinds of heads on repeated random tokens, and a CSV of all. Pure functions. */

import { METRICS } from "../core/address/fields.js";
import { NAMED, nameOf } from "../core/head-names.js";

/** @typedef {import("../core/trace-replies.js").Probe} Probe */
/** @typedef {import("../core/state.js").Metrics} Metrics */
/** @typedef {{layer: number, head: number, metrics: Record<string, number | null>, name: typeof NAMED[number], value: number}} Row */

const TOP = 5; // heads per kind if all are listed
/** Heads with weight on the first token are frequent and say least: last. */
export const KINDS = [...NAMED.filter((name) => name !== "first"), /** @type {const} */ ("first")];

/** Heads with a kind, the clearest first. @param {Pick<Probe, "heads">} probe @returns {Row[]} */
export function named({ heads }) {
  const rows = heads.flatMap((own, layer) =>
    own.flatMap((metrics, head) => {
      const found = nameOf(metrics);
      return found ? [{ layer, head, metrics, ...found }] : [];
    }),
  );
  return rows.toSorted((a, b) => b.value - a.value);
}

/**
 * Named heads by kind; `more`: count of those not listed.
 * @param {Pick<Probe, "heads">} probe @param {string} only kind listed in full; "": the top of each
 */
export function ofKinds(probe, only) {
  const rows = named(probe);
  const kinds = KINDS.filter((kind) => !only || kind === only).map((kind) => {
    const own = rows.filter(({ name }) => name === kind);
    const told = only ? own : own.slice(0, TOP);
    return { kind, rows: told, more: own.length - told.length };
  });
  return kinds.filter((kind) => kind.rows.length > 0);
}

/**
 * CSV, one line per head: kind, and metrics on random tokens and on the text.
 * @param {Pick<Probe, "heads">} probe @param {Metrics[]} metrics of the text, or empty
 */
export function tableOf({ heads }, metrics) {
  const columns = ["layer", "head", "name", ...NAMED, ...METRICS.map((name) => `text_${name}`)];
  const onText = new Map(metrics.map((each) => [`${each.layer}.${each.head}`, each]));
  const lines = heads.flatMap((own, layer) =>
    own.map((measured, head) => {
      const text = onText.get(`${layer}.${head}`);
      const figures = [...NAMED.map((name) => measured[name]), ...METRICS.map((name) => text?.[name])];
      return [layer, head, nameOf(measured)?.name, ...figures].map((figure) => figure ?? "").join(",");
    }),
  );
  return [columns.join(","), ...lines, ""].join("\n");
}
