/** Closes the left-out keys and divides each row by the sum of its other weights. */

import { withoutKeys } from "./left-out-keys.js";

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
