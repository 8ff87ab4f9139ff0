import { stageOf } from "../core/page.js";
import { ONE_TEXT } from "../core/question.js";
import { deriveStore } from "../lib/derived-store.js";
import { CARD_SIZE, Heatmap } from "../matrix/heatmap.js";

const STAGE = "masked_scores";

/** @type {WeakMap<Answer, Answer>} */
const made = new WeakMap();

/** @param {Answer} answer @param {Stage} stage @returns {Answer} */
function maskAnswer(answer, stage) {
  /** @param {unknown} _ @param {import("../core/answer.js").Selection} place */
  const block = (_, place) => {
    const masked = answer.block(stage, place);
    if (!masked || masked.coarse) return null; // the numbers have not loaded
    return { ...masked, values: Float64Array.from(masked.values, (score) => Number(score !== -Infinity)) };
  };
  const known = made.get(answer) ?? Object.create(answer, { block: { value: block } });
  made.set(answer, known);
  return known;
}

/** Shows 1 where a query may attend to a key, else 0. @param {HTMLElement} root @param {Store} store @returns {Part} */
export function maskView(root, store) {
  const stage = stageOf(store.page, STAGE);
  const zeros = deriveStore(
    store,
    (from) => ({
      ...from,
      answer: from.answer && maskAnswer(from.answer, stage),
      view: { ...from.view, precision: 0 },
    }),
    null,
  );
  const plate = new Heatmap(root, zeros, { ...stage, kind: "weights" }, CARD_SIZE);
  /** @type {State | undefined} */
  let drawn;
  return {
    update() {
      const now = zeros.get();
      plate.update(now, drawn);
      drawn = now;
    },
    destroy: () => plate.destroy(),
  };
}

/**
 * Mask to paint. Null means `blocked`, which applies to all texts and heads.
 * @typedef {{field: "mask" | "context_mask", scope: Scope, batch: number, head: number, texts: number, heads: number,
 * rows: number, cols: number} | null} Sheet
 */
/** @typedef {"all" | "text" | "head"} Scope */

/**
 * Number of a cell in a mask; 0 closes the cell. Masks are [n][m], [B][1][m], [B][1][n][m] or [B][h][n][m].
 * @param {any[] | null} mask @param {number} batch @param {number} head @param {RowCol} at @returns {number}
 */
function maskValue(mask, batch, head, { row, col }) {
  if (!mask) return 1;
  if (!Array.isArray(mask[0][0])) return mask[row][col];
  if (!Array.isArray(mask[0][0][0])) return mask[batch][0][col];
  return mask[batch][mask[batch].length > 1 ? head : 0][row][col];
}

/** @param {Question} question @param {RowCol} at @param {Sheet} [sheet] */
export const isBlocked = (question, at, sheet) =>
  sheet
    ? !maskValue(question[sheet.field], sheet.batch, sheet.head, at)
    : question.blocked.some(([i, j]) => i === at.row && j === at.col);

/** @param {Question} question @param {Sheet} sheet */
export function countOf(question, sheet) {
  if (!sheet) return question.blocked.length;
  const cells = Array.from({ length: sheet.rows * sheet.cols }, (_, at) => at);
  const at = (/** @type {number} */ cell) => ({ row: Math.floor(cell / sheet.cols), col: cell % sheet.cols });
  return cells.filter((cell) => isBlocked(question, at(cell), sheet)).length;
}

/**
 * @param {Question} question @param {RowCol[]} cells @param {boolean} closed @param {Sheet} [sheet]
 */
export function paintCells(question, cells, closed, sheet) {
  if (sheet) return { ...question, [sheet.field]: paintMask(question[sheet.field], cells, closed, sheet) };
  const places = new Map(question.blocked.map((cell) => [cell.join(), cell]));
  for (const { row, col } of cells) {
    if (closed) places.set(`${row},${col}`, [row, col]);
    else places.delete(`${row},${col}`);
  }
  const blocked = [...places.values()].toSorted(([i, j], [k, l]) => i - k || j - l);
  return { ...question, blocked };
}

/**
 * Adds axes for texts and heads if `scope` needs them. Returns null if every cell is open.
 * @param {any[] | null} mask @param {RowCol[]} cells @param {boolean} closed @param {NonNullable<Sheet>} sheet
 * @returns {any[] | null}
 */
function paintMask(mask, cells, closed, { scope, batch, head, texts, heads, rows, cols }) {
  const byHead = scope === "head" || (mask?.[0]?.[0]?.[0] !== undefined && mask[0].length > 1);
  const apart = scope !== "all" || Array.isArray(mask?.[0]?.[0]);
  const grid = (/** @type {number} */ b, /** @type {number} */ h) =>
    times(rows, (row) => times(cols, (col) => maskValue(mask, b, h, { row, col })));
  const next = times(apart ? texts : 1, (b) => times(byHead ? heads : 1, (h) => grid(b, h)));
  for (const [b, each] of next.entries())
    for (const [h, map] of each.entries()) {
      const here = scope === "all" || (b === batch && (scope === "text" || h === head));
      if (here) for (const { row, col } of cells) map[row][col] = Number(!closed);
    }
  if (!next.flat(3).includes(0)) return null;
  return apart ? next : next[0][0];
}

/** @template T @param {number} length @param {(at: number) => T} make */
const times = (length, make) => Array.from({ length }, (_, at) => make(at));

/** Cells on a line, with both ends. @param {RowCol} from @param {RowCol} to */
export function stroke(from, to) {
  const [down, right] = [to.row - from.row, to.col - from.col];
  const steps = Math.max(Math.abs(down), Math.abs(right));
  return Array.from({ length: steps + 1 }, (_, step) => ({
    row: from.row + Math.round((down * step) / (steps || 1)),
    col: from.col + Math.round((right * step) / (steps || 1)),
  }));
}

/**
 * Blocks every closed cell and turns the other masks off.
 * @param {Question} question @param {Pick<Picture, "values" | "cols">} masked @param {Size} real size without padding
 */
export function paintAllClosed(question, { values, cols: width }, { rows, cols }) {
  /** @type {[number, number][]} */
  const blocked = [];
  for (let row = 0; row < rows; row++)
    for (let col = 0; col < cols; col++) if (values[row * width + col] === -Infinity) blocked.push([row, col]);
  return { ...question, ...ONE_TEXT, blocked };
}
