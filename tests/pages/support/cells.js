/** Colours of cells, computed from the numbers of a JSON reply and the page's colour table alone. */

const MANY = 64; // keys: beyond them weights are coloured by their root
const CLOSE = 2; // of 255
const HOLE = [0, 0, 0, 0];

/**
 * The last two axes of a stage; masked and padded cells are null.
 * @param {any} reply
 * @param {string} stage
 * @param {{layer: number, head: number, batch: number}} place
 * @returns {(number | null)[][]}
 */
export function stageCells(reply, stage, { layer, head, batch }) {
  const block = (name) => {
    const array = reply.layers[layer][name][batch];
    return Array.isArray(array[0][0]) ? array[Math.floor((head * array.length) / reply.shape.num_heads)] : array;
  };
  const queries = reply.lengths[batch];
  const keys = (reply.context_lengths ?? reply.lengths)[batch];
  const rows = ["context", "k", "v"].includes(stage) ? keys : queries;
  const cols = ["scores", "scaled_scores", "masked_scores", "weights"].includes(stage) ? keys : Infinity;
  const closed = stage === "weights" ? block("masked_scores") : null;
  return block(stage).map((line, row) =>
    line.map((value, col) => (row >= rows || col >= cols || (closed && closed[row][col] === null) ? null : value)),
  );
}

/** 256 colours from evenly spaced stops, RRGGBB after RRGGBB. @param {string} stops @returns {number[][]} */
function table(stops) {
  const given = stops.match(/../g).map((byte) => parseInt(byte, 16));
  const last = given.length / 3 - 1;
  return Array.from({ length: 256 }, (_, index) => {
    const place = (index * last) / 255;
    const [from, part] = [Math.min(Math.floor(place), last - 1), place - Math.min(Math.floor(place), last - 1)];
    return [0, 1, 2].map((c) => Math.round(given[3 * from + c] * (1 - part) + given[3 * from + 3 + c] * part));
  });
}

/**
 * @param {(number | null)[][]} cells
 * @param {(number | null)[][] | null} range cells whose largest size ends the scale; null: weights, from 0 to 1
 * @param {{sequential: string, diverging: string}} colors
 * @returns {number[][][]} red, green, blue and opacity of each cell
 */
export function cellColors(cells, range, colors) {
  const palette = table(range ? colors.diverging : colors.sequential);
  const size = range ? Math.max(...range.flat().map((value) => Math.abs(value ?? 0))) || 1 : 1;
  const root = !range && cells[0].length > MANY;
  return cells.map((line) =>
    line.map((value) => {
      if (value === null) return HOLE;
      const part = range ? (value + size) / (2 * size) : root ? Math.sqrt(value) : value;
      return [...palette[Math.floor(Math.min(1, Math.max(0, part)) * 255 + 0.5)], 255];
    }),
  );
}

/** What was painted last on a canvas, a colour a cell. @param {{painted: any}} canvas @returns {number[][][]} */
export function pictureOf({ painted }) {
  if (!painted) return [];
  const { width, height, data } = painted;
  return Array.from({ length: height }, (_, row) =>
    Array.from({ length: width }, (_, col) => [...data.subarray(4 * (row * width + col), 4 * (row * width + col) + 4)]),
  );
}

/** Whether two pictures are the same but for rounding between the stops of the table. @param {number[][][]} found @param {number[][][]} wanted */
export function alike(found, wanted) {
  const [one, other] = [found.flat(2), wanted.flat(2)];
  const same = found.length === wanted.length && one.length === other.length;
  return same && one.every((value, at) => Math.abs(value - other[at]) <= CLOSE);
}

/** A number as the page writes it: a true minus sign. @param {number} value */
export const written = (value, decimals = 3) => value.toFixed(decimals).replace("-", "−");
