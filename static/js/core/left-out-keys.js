import { extent } from "../lib/paint.js";
import { isLong } from "./state.js";

const TABS = ["stages", "heads", "lines", "map"];

/**
 * None for long texts, whose rows are never fetched whole, or for words, as `skip` counts pieces.
 * @param {State} state
 */
export function leftOutKeys({ answer, view: { skip = [], tab, map, tokens } }) {
  const drawn = TABS.includes(tab) && (tab !== "map" || map === "weights");
  if (!answer || !drawn || tokens === "words" || isLong({ answer })) return [];
  const { m, n } = answer.reply.shape;
  return skip.filter((key) => key < Math.max(n, m));
}

/** Query parameter `skip`. @param {State} state */
export const skipOf = (state) => leftOutKeys(state).join("_");

/** @param {SizedPicture} picture @param {number[]} keys */
export function withoutKeys(picture, keys) {
  if (picture.coarse || !keys.length) return { ...picture, left: keys };
  const { rows, cols, values, holes } = picture;
  const own = keys.filter((key) => key < cols);
  const rest = Float64Array.from(values);
  const closed = holes ? Float64Array.from(holes) : new Float64Array(rows * cols);
  for (let row = 0; row < rows; row++) {
    for (const key of own) [rest[row * cols + key], closed[row * cols + key]] = [0, -Infinity];
    const line = rest.subarray(row * cols, (row + 1) * cols);
    const sum = line.reduce((total, weight) => total + weight, 0);
    if (sum > 0) for (let col = 0; col < cols; col++) line[col] /= sum;
  }
  const past = { ...picture, values: rest, holes: closed, left: own };
  return { ...past, ...extent(past) };
}
