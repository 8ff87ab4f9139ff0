/** Answers of 8-bit pictures: stages of one head, or weights of all heads. */

import { QuantizedMap, sideFor } from "../lib/quantized.js";
import { kvHeadOf, replyAt } from "./answer.js";
import { headAxis } from "./page.js";

/** @typedef {import("./answer.js").Selection} Selection */
/** @typedef {import("./exact-numbers.js").ExactNumbers} ExactNumbers */
/** @typedef {{name: string} & Selection} Place `head`: see `placeOf` */

/** @param {Place} place */
export const keyOf = ({ name, batch, layer, head }) => `${name} ${batch} ${layer} ${head}`;

/**
 * `head` is 0 for stages without heads, and the key/value head for keys and values.
 * @param {Stage} stage @param {Selection} selection @param {Reply} reply
 */
export function placeOf(stage, { batch, layer, head }, { shape }) {
  const axis = headAxis(stage);
  return { name: stage.name, batch, layer, head: axis === "kv_head" ? kvHeadOf(shape, head) : axis ? head : 0 };
}

export class PictureAnswer {
  /** @param {Reply} reply @param {number} head @param {Map<string, QuantizedMap>} pictures @param {ExactNumbers} numbers */
  constructor(reply, head, pictures, numbers) {
    this.reply = reply;
    this.heads = [head];
    this.pictures = pictures;
    this.numbers = numbers;
    this.tensors = new Map();
    /** @type {Map<Reply, PictureAnswer>} */
    this.seen = new Map([[reply, this]]);
  }

  /** @param {number} layer @returns {PictureAnswer} */
  at(layer) {
    const reply = replyAt(this.reply, layer);
    const known = this.seen.get(reply);
    if (known) return known;
    const found = Object.assign(Object.create(PictureAnswer.prototype), this, { reply });
    this.seen.set(reply, found);
    return found;
  }

  /** @param {Stage} stage @param {Selection} selection */
  block(stage, selection) {
    return this.pictures.get(keyOf(placeOf(stage, selection, this.reply)))?.block ?? null;
  }

  /** @param {Stage} stage @param {number} head */
  ownHead(stage, head) {
    return placeOf(stage, { batch: 0, layer: 0, head }, this.reply).head;
  }
}

/** @typedef {{bytes: Uint8Array, shape: number[], range: [number, number]}} Sent */
/** @typedef {{batch: number, size: number} & Sent} Thumbnails at most `size` pixels a side */

export class HeadPictures {
  /**
   * @param {Reply} reply @param {Thumbnails | null} thumbnails null with one head @param {Map<string, QuantizedMap>} pictures
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
    /** @type {Map<string, QuantizedMap>} */
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
   * @param {Thumbnails} thumbnails @param {Place} place
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
    const made = new QuantizedMap(own, { cells: [n, m], points: [high, wide], side, range, spacing: "root" });
    made.extent = made.ownExtent; // `range` spans all heads
    made.setSource(this.numbers, { stage: "weights", batch, layer, head });
    return made;
  }
}
