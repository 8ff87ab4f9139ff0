/** An answer with the weights of all heads as pictures. */

import { Coarse, sideFor } from "../lib/quantized.js";
import { replyAt } from "./answer.js";
import { keyOf } from "./picture-answer.js";

/** @typedef {import("./answer.js").Selection} Selection */
/** @typedef {import("./exact-numbers.js").ExactNumbers} ExactNumbers */
/** @typedef {{bytes: Uint8Array, shape: number[], range: [number, number]}} Sent */
/** @typedef {{batch: number, size: number} & Sent} Thumbnails at most `size` pixels a side */

export class HeadPictures {
  /**
   * @param {Reply} reply @param {Thumbnails | null} thumbnails null with one head @param {Map<string, Coarse>} pictures
   * @param {ExactNumbers} numbers @param [skip]
   */
  constructor(reply, thumbnails, pictures, numbers, skip = "") {
    this.reply = reply;
    this.thumbnails = thumbnails;
    this.pictures = pictures;
    this.numbers = numbers;
    this.skip = skip;
    /** @type {Answer["heads"]} null: all */
    this.heads = null;
    /** @type {Map<string, Coarse>} */
    this.small = new Map();
  }

  /** @param {{name: string}} stage @param {Selection} selection */
  block({ name }, { batch, layer, head }) {
    if (name !== "weights" || (this.thumbnails && batch !== this.thumbnails.batch)) return null;
    const place = { name, batch, layer, head };
    const fine = this.pictures.get(keyOf(place));
    if (fine || !this.thumbnails) return fine?.block ?? null;
    const key = `${layer} ${head}`;
    const made = this.small.get(key) ?? this.thumbnail(this.thumbnails, place);
    this.small.set(key, made);
    return made.block;
  }

  /**
   * Cuts out one head. A smaller map fills part of its rectangle.
   * @param {Thumbnails} thumbnails @param {import("./picture-answer.js").Place} place
   */
  thumbnail({ bytes, shape, range, size }, { layer, head, batch }) {
    const [, heads, rows, cols] = shape;
    const { n, m } = replyAt(this.reply, layer).shape;
    const side = /** @type {[number, number]} */ ([n, m].map((cells) => sideFor(cells, size)));
    const [high, wide] = [Math.ceil(n / side[0]), Math.ceil(m / side[1])];
    const own = new Uint8Array(high * wide);
    const from = (layer * heads + head) * rows * cols;
    for (let row = 0; row < high; row++)
      own.set(bytes.subarray(from + row * cols, from + row * cols + wide), row * wide);
    const made = new Coarse(own, { cells: [n, m], points: [high, wide], side, range, spacing: "root" });
    made.extent = made.ownExtent; // `range` spans all heads
    made.setSource(this.numbers, { stage: "weights", batch, layer, head });
    return made;
  }
}
