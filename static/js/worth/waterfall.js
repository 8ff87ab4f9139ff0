/** @typedef {{of: "embedding" | "head" | "mlp" | "bias", layer?: number, head?: number, value: number}} Part */
/** @typedef {Part & {from: number, to: number}} Step */

/** Contributions in the order of the residual stream. @param {Replies.Contributions} contributions @returns {Part[]} */
export function partsOf({ embedding, heads, mlps, bias }) {
  const layers = heads.flatMap((own, layer) => [
    ...own.map((value, head) => /** @type {Part} */ ({ of: "head", layer, head, value })),
    ...(layer in mlps ? [/** @type {Part} */ ({ of: "mlp", layer, value: mlps[layer] })] : []),
  ]);
  return [
    { of: "embedding", value: embedding },
    ...layers,
    ...(bias ? [/** @type {Part} */ ({ of: "bias", value: bias })] : []),
  ];
}

/** @param {Part[]} parts */
export function waterfall(parts) {
  let at = 0;
  return parts.map((part) => {
    const from = at;
    at += part.value;
    return { ...part, from, to: at };
  });
}

/** Scale in percent of a width that includes zero. @param {{from: number, to: number}[]} stretches */
export function scaleOf(stretches) {
  const ends = stretches.flatMap(({ from, to }) => [from, to]);
  const low = Math.min(0, ...ends);
  const width = Math.max(0, ...ends) - low || 1;
  const place = (/** @type {number} */ value) => (100 * (value - low)) / width;
  return {
    zero: place(0),
    /** @param {{from: number, to: number}} stretch */
    bar: ({ from, to }) => ({ left: place(Math.min(from, to)), width: (100 * Math.abs(to - from)) / width }),
  };
}
