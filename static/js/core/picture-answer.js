import { kvHeadOf, replyAt } from "./answer.js";
import { headAxis } from "./page.js";

/** @typedef {import("../lib/quantized.js").Coarse} Coarse */
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
  /** @param {Reply} reply @param {number} head @param {Map<string, Coarse>} pictures @param {ExactNumbers} numbers */
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
