/** The server where it sends pictures: of made-up stages, eight bits a point. */

import { decode } from "../../../static/js/lib/safetensors.js";

/**
 * @param {number[]} shape
 * @param {ArrayLike<number>} bytes
 * @param {[number, number]} range
 * @param {[number, number]} [side]
 */
export function bits(shape, bytes, range, side = [1, 1]) {
  const headers = { "X-Shape": shape.join(), "X-Range": range.join(), "X-Side": side.join() };
  return new Response(Uint8Array.from(bytes), { headers });
}

/**
 * Numbers as a block of a stage comes.
 * @param {number[][]} rows
 */
export function block(rows) {
  const values = Float64Array.from(rows.flat());
  const header = JSON.stringify({
    stage: { dtype: "F64", shape: [rows.length, rows[0].length], data_offsets: [0, values.byteLength] },
  });
  const padded = header.padEnd(8 * Math.ceil(header.length / 8));
  const bytes = new Uint8Array(8 + padded.length + values.byteLength);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(padded.length), true);
  bytes.set(new TextEncoder().encode(padded), 8);
  bytes.set(new Uint8Array(values.buffer), 8 + padded.length);
  decode(bytes.buffer); // it is what a reader takes
  return bytes.buffer;
}
