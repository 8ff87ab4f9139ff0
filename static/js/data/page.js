/** What the server sent with the page: stages, colours, limits, defaults, sentences. */

import { hasContext } from "./question.js";

/**
 * @typedef {Object} Stage
 * @property {string} name
 * @property {string[]} axes
 * @property {string} formula
 * @property {string} mathml
 * @property {string[]} inputs
 * @property {"signed" | "weights" | "difference"} kind
 * @property {Record<string, string>} variants words that hold of a question, and its mathml then
 * @property {string} [label]
 */

/**
 * @typedef {Object} Page
 * @property {string} lang
 * @property {string} version
 * @property {Record<string, string>} messages
 * @property {Stage[]} stages
 * @property {Stage[]} parameters
 * @property {Stage[]} operands what lies between the stages: the context …
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
  const stage = known(page).find((each) => each.name === name);
  if (!stage) throw new Error(`no stage ${name}`);
  return stage;
}

/**
 * Every stage, parameter and operand: what a cell can be of.
 * @param {Page} page
 */
export const known = ({ stages, parameters, operands }) => [...stages, ...parameters, ...operands];

/**
 * What has a picture: the stages in order, and the context, where there is one, beside x.
 * @param {Page} page
 */
export function drawn(page) {
  const [x, ...stages] = page.stages;
  return [x, stageOf(page, "context"), ...stages];
}

/**
 * Whether an answer may have a stage: the context is there in cross-attention alone.
 * @param {{reply: import("./answer.js").Reply} | null} answer
 * @param {string} stage
 */
export const has = (answer, stage) => stage !== "context" || Boolean(answer?.reply.context_lengths);

/**
 * The formula of a stage as it is for a question: of the variants that fit, the one with most words.
 * @param {Stage} stage
 * @param {import("./question.js").Question} question
 */
export function formulaOf({ variants, mathml }, question) {
  const { scale, model } = question;
  // The crafted heads say no block: the two layers of induction have a residual. No upload has positions.
  const { block = model.name === "induction" ? "residual" : "attention", positions = "", mlp } = model;
  const bare = positions === "none" || model.source === "uploaded";
  const places = bare ? "unplaced" : positions;
  const holds = [typeof scale === "number" ? "number" : scale, block, places, mlp && "mlp", hasContext(question) && "context", question.x && "given", question.context_x && "context_given"];
  const fitting = Object.keys(variants).map((when) => when.split(" ")).filter((words) => words.every((word) => holds.includes(word)));
  const best = fitting.reduce((most, words) => (words.length > most.length ? words : most), []);
  return variants[best.join(" ")] ?? mathml;
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
  return cols === "key" && (rows === "query" || rows === "key");
}

/**
 * @param {Stage} stage
 * @returns {"head" | "kv_head" | null}
 */
export function headAxis(stage) {
  const axis = stage.axes.length === 4 ? stage.axes[1] : null;
  return axis === "head" || axis === "kv_head" ? axis : null;
}
