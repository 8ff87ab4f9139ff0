/** What the server sent with the page: stages, colours, limits, defaults, sentences. */

/**
 * @typedef {Object} Stage
 * @property {string} name
 * @property {string[]} axes
 * @property {string} formula
 * @property {string} mathml
 * @property {string[]} inputs
 * @property {"signed" | "weights" | "difference"} kind
 * @property {Record<string, string>} variants mathml under another scale than 1/√d_k
 * @property {string} [label]
 */

/**
 * @typedef {Object} Page
 * @property {string} lang
 * @property {string} version
 * @property {Record<string, string>} messages
 * @property {Stage[]} stages
 * @property {Stage[]} parameters
 * @property {Record<string, {diverging: string, sequential: string}>} colors
 * @property {import("./question.js").Question & Record<string, unknown>} defaults
 * @property {Record<string, number>} limits
 * @property {Record<string, string[]>} choices
 */

/** The four axes that have a colour of their own; other axes are written in the text's colour. */
const COLORS = /** @type {Record<string, string>} */ ({
  query: "query",
  key: "key",
  d_model: "feature",
  d_k: "feature",
  d_v: "value",
  "head·d_v": "value",
});

/** Letters of the axes as formulas write them. */
const LETTERS = /** @type {Record<string, string>} */ ({
  batch: "B",
  head: "h",
  kv_head: "h_kv",
  query: "n",
  key: "m",
  "head·d_v": "h·d_v",
});

/** @returns {Page} */
export function readPage() {
  return JSON.parse(/** @type {HTMLElement} */ (document.getElementById("page-data")).textContent ?? "{}");
}

/** @param {string} axis */
export const colorOf = (axis) => COLORS[axis] ?? "none";

/** @param {string} axis */
export const letterOf = (axis) => LETTERS[axis] ?? axis;

/**
 * @param {Page} page
 * @param {string} name
 * @returns {Stage}
 */
export function stageOf(page, name) {
  const stage = [...page.stages, ...page.parameters].find((each) => each.name === name);
  if (!stage) throw new Error(`no stage ${name}`);
  return stage;
}

/**
 * The formula of a stage as it is under a question's scale.
 * @param {Stage} stage
 * @param {{scale: string | number}} question
 */
export function formulaOf(stage, { scale }) {
  return stage.variants[typeof scale === "number" ? "number" : scale] ?? stage.mathml;
}

/**
 * The last two axes: what a picture's rows and columns count.
 * @param {Stage} stage
 */
export function sides(stage) {
  const [rows, cols] = stage.axes.length > 1 ? stage.axes.slice(-2) : ["none", stage.axes[0]];
  return { rows, cols };
}

/**
 * A map has one cell for each query and key.
 * @param {Stage} stage
 */
export function isMap(stage) {
  const { rows, cols } = sides(stage);
  return rows === "query" && cols === "key";
}

/**
 * @param {Stage} stage
 * @returns {"head" | "kv_head" | null}
 */
export function headAxis(stage) {
  const axis = stage.axes.length === 4 ? stage.axes[1] : null;
  return axis === "head" || axis === "kv_head" ? axis : null;
}
