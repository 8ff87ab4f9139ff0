import { namingMetric, namingMetrics } from "../core/head-names.js";

/** @typedef {{layer: number, head: number, metrics: Record<string, number | null>, name: string, value: number}} Row */

const TOP = 5; // listed heads per kind

/** Kinds of heads, the most specific first. @param {Page} page */
export const kindsOf = (page) => namingMetrics(page).map(({ name }) => name);

/** @param {Page} page @param {Pick<Replies.Probe, "heads">} probe */
export function namedHeads(page, { heads }) {
  const rows = heads.flatMap((own, layer) =>
    own.flatMap((metrics, head) => {
      const found = namingMetric(page, metrics);
      return found ? [{ layer, head, metrics, ...found }] : [];
    }),
  );
  return rows.toSorted((a, b) => b.value - a.value);
}

/**
 * Listed heads by kind; `more`: number of heads not listed.
 * @param {Page} page @param {Pick<Replies.Probe, "heads">} probe
 * @param {string} only kind to list in full; "" for all
 */
export function ofKinds(page, probe, only) {
  const rows = namedHeads(page, probe);
  const listed = kindsOf(page).filter((kind) => !only || kind === only);
  const kinds = listed.map((kind) => {
    const own = rows.filter(({ name }) => name === kind);
    const top = only ? own : own.slice(0, TOP);
    return { kind, rows: top, more: own.length - top.length };
  });
  return kinds.filter((kind) => kind.rows.length > 0);
}

/**
 * CSV with a row per head: kind, metrics on random tokens, metrics on the text.
 * @param {Page} page @param {Pick<Replies.Probe, "heads">} probe @param {Metrics[]} metrics on the text
 */
export function tableOf(page, { heads }, metrics) {
  const kinds = kindsOf(page);
  const columns = ["layer", "head", "name", ...kinds, ...page.metrics.map(({ name }) => `text_${name}`)];
  const onText = new Map(metrics.map((each) => [`${each.layer}.${each.head}`, each]));
  const lines = heads.flatMap((own, layer) =>
    own.map((measured, head) => {
      const text = onText.get(`${layer}.${head}`);
      const figures = [...kinds.map((name) => measured[name]), ...page.metrics.map(({ name }) => text?.[name])];
      return [layer, head, namingMetric(page, measured)?.name, ...figures].map((figure) => figure ?? "").join(",");
    }),
  );
  return [columns.join(","), ...lines, ""].join("\n");
}
