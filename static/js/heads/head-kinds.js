/** Heads by kind on repeated random tokens, and a file of all of them. Pure functions. */

import { METRICS } from "../core/address/fields.js";
import { NAMED, nameOf } from "../core/head-names.js";

/** @typedef {import("../core/trace-replies.js").Probe} Probe */
/** @typedef {import("../core/state.js").Metrics} Metrics */
/** @typedef {{layer: number, head: number, metrics: Record<string, number | null>, name: typeof NAMED[number], value: number}} Row */

const TOP = 5; // heads of a kind, where every kind is listed
/** Those that leave their weight on the first token are many and say least: they come last. */
export const KINDS = [...NAMED.filter((name) => name !== "first"), /** @type {const} */ ("first")];

/** The heads that have a name on the random tokens, the clearest first. @param {Pick<Probe, "heads">} probe @returns {Row[]} */
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
 * The named heads by kind; `more` are not listed.
 * @param {Pick<Probe, "heads">} probe
 * @param {string} only a kind that is listed whole; "": the clearest of each
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
 * A line a head, as CSV: its name on the random tokens, and the metrics there and on the text.
 * @param {Pick<Probe, "heads">} probe
 * @param {Metrics[]} metrics of the text; empty if there are none
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
