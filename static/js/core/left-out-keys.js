/** Closes the left-out keys and divides each row by the sum of its other weights. */

import { extent } from "../lib/paint.js";
import { isLong } from "./state.js";

const TABS = ["stages", "heads", "lines", "map"];

/**
 * None for long texts, whose rows are never fetched whole, and for words, as `skip` counts pieces.
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

export class LeftOutAnswer {
  /** @param {Answer} whole with numbers @param {number[]} left keys */
  constructor(whole, left) {
    this.whole = whole;
    this.left = left;
    this.heads = whole.heads;
    this.tensors = whole.tensors;
    this.reply = whole.reply;
  }

  /** @param {number} layer */
  at(layer) {
    const found = this.whole.at(layer);
    return found === this.whole ? this : new LeftOutAnswer(found, this.left);
  }

  /** @param {Stage} stage @param {number} head */
  ownHead(stage, head) {
    return this.whole.ownHead(stage, head);
  }

  /** @param {Stage} stage @param {import("./answer.js").Selection} selection */
  block(stage, selection) {
    const block = this.whole.block(stage, selection);
    if (!block?.values) return block;
    if (stage.name === "weights") {
      const { values, left } = withoutKeys({ ...block, size: 1, most: 1 }, this.left);
      return { ...block, values, left };
    }
    if (stage.name !== "masked_scores") return block;
    const values = Float64Array.from(block.values);
    for (const key of this.left) for (let row = 0; row < block.rows; row++) values[row * block.cols + key] = -Infinity;
    return { ...block, values };
  }
}
