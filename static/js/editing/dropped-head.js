/** Dropping a head: what it adds to the output becomes zero, and every other head stays as it is. */

/** @typedef {import("../core/question.js").Question} Question */
/** @typedef {import("../core/question.js").Model} Model */

/** @param {Model} model with its parameters written out */
function sizes({ num_heads, num_kv_heads, w_v }) {
  const kv_heads = num_kv_heads ?? num_heads;
  return {
    d_v: w_v[0].length / kv_heads,
    concat: (w_v[0].length / kv_heads) * num_heads,
    shared: kv_heads < num_heads,
  };
}

/**
 * The tensor whose numbers drop a head: without w_o the head's own values, unless others share them.
 * @param {Model} model with its parameters written out
 * @returns {"w_o" | "w_v"}
 */
export const droppedIn = (model) => (model.w_o || sizes(model).shared ? "w_o" : "w_v");

/**
 * The question without what one head adds to the output. Shared values need a w_o: the identity.
 * @param {Question} question with an explicit model
 * @param {number} head
 * @returns {Question}
 */
export function withoutHead(question, head) {
  const { model } = question;
  const { d_v, concat } = sizes(model);
  const zeroed = (/** @type {number[]} */ row) => row.map((value, at) => (Math.floor(at / d_v) === head ? 0 : value));
  if (droppedIn(model) === "w_v") {
    const b_v = model.b_v && zeroed(model.b_v);
    return { ...question, model: { ...model, w_v: model.w_v.map(zeroed), b_v } };
  }
  const identity = () =>
    Array.from({ length: concat }, (_, row) => Array.from({ length: concat }, (_, col) => Number(row === col)));
  /** @type {number[][]} */
  const before = model.w_o ?? identity();
  const w_o = before.map((row, at) => (Math.floor(at / d_v) === head ? row.map(() => 0) : row));
  return { ...question, model: { ...model, w_o } };
}

/**
 * Whether a head adds nothing to the output, as far as the question says it.
 * @param {Question} question
 * @param {number} head
 */
export function isDropped({ model }, head) {
  if (model.source !== "explicit" || head >= model.num_heads) return false;
  const { d_v, shared } = sizes(model);
  const own = (/** @type {any[]} */ all) => all.slice(head * d_v, (head + 1) * d_v);
  const zero = (/** @type {number[]} */ row) => row.every((value) => value === 0);
  if (model.w_o) return own(model.w_o).every(zero);
  return !shared && zero(own(model.b_v ?? [])) && model.w_v.every((/** @type {number[]} */ row) => zero(own(row)));
}
