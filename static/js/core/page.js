/** Colours of axes; others have the colour of text. */
const COLORS = /** @type {Record<string, string>} */ ({
  query: "query",
  key: "key",
  d_model: "feature",
  d_k: "feature",
  d_v: "value",
  "head·d_v": "value",
});

const LETTERS = /** @type {Record<string, string>} */ ({
  batch: "B",
  head: "h",
  kv_head: "h_kv",
  query: "n",
  key: "m",
  "head·d_v": "h·d_v",
});

const MLP_RATIO = 4; // hidden size / d_model

/** @type {Page | undefined} */
let sent;

export function readPage() {
  sent ??= /** @type {Page} */ (JSON.parse(document.getElementById("page-data")?.textContent ?? "{}"));
  return sent;
}

/**
 * The installed model or uploaded checkpoint, else null.
 * @param {Page} page @param {Pick<Question, "model">} question
 */
export const installedOf = ({ installed, uploaded }, { model: { source, name, id } }) =>
  (source === "installed" && installed.find((each) => each.name === name)) ||
  (source === "uploaded" && uploaded?.id === id && uploaded) ||
  null;

/** @param {Page} page @param {Pick<Question, "model" | "causal">} question */
export const isCausal = (page, question) => question.causal ?? installedOf(page, question)?.causal ?? true;

/** @param {string} axis */
export const colorOf = (axis) => COLORS[axis] ?? "none";

/** @param {string} axis */
export const letterOf = (axis) => LETTERS[axis] ?? axis;

/** @param {Shape} shape @param [hidden] @returns {Record<string, number>} */
export function sizesOf(shape, hidden = MLP_RATIO * shape.d_model) {
  const { batch, num_heads, num_kv_heads, n, m, d_model, d_k, d_v } = shape;
  const heads = { head: num_heads, kv_head: num_kv_heads };
  return { batch, ...heads, query: n, key: m, d_model, d_k, d_v, "head·d_v": num_heads * d_v, hidden };
}

/** @param {Page} page @param {string} name */
export function stageOf(page, name) {
  const stage = allStages(page).find((each) => each.name === name);
  if (!stage) throw new Error(`no stage ${name}`);
  return stage;
}

/** @param {Page} page */
export const allStages = ({ stages, parameters, operands }) => [...stages, ...parameters, ...operands];

/** Stages of an MLP; the gate is optional. */
export const MLP = ["middle", "hidden", "gate", "activated", "mlp_output"];

/** @param {string[]} holds */
export const mlpOf = (holds) =>
  holds.includes("mlp") ? MLP.filter((name) => name !== "gate" || holds.includes("gated")) : [];

/** The context follows x; the MLP precedes the block output. @param {Page} page */
export function stagesOn(page) {
  const [x, ...stages] = page.stages;
  const more = MLP.map((name) => stageOf(page, name));
  return [x, stageOf(page, "context"), ...stages.slice(0, -1), ...more, ...stages.slice(-1)];
}

/** @param {{reply: Reply} | null} answer @param {string} stage */
export function has(answer, stage) {
  if (MLP.includes(stage)) return mlpOf(answer?.reply.holds ?? []).includes(stage);
  return stage !== "context" || Boolean(answer?.reply.context_lengths);
}

const LN = /(<mi[^>]*>)L(<\/mi>)<mi[^>]*>N<\/mi>/g; // MathML

/**
 * Formula of the variant with the most conditions, all of them true. RMS norms turn LN into RMS.
 * @param {Formula & Pick<Stage, "variants">} stage
 * @param {{answer: {reply: Pick<Reply, "holds" | "encoder_layers">} | null, view: {layer: number}}} seen
 */
export function formulaOf({ variants, formula, mathml }, { answer, view }) {
  const holds = [...(answer?.reply.holds ?? [])];
  // The first layers of encoder and decoder read embeddings.
  if (answer && view.layer && view.layer !== answer.reply.encoder_layers) holds.push("later");
  const fitting = Object.keys(variants)
    .map((when) => when.split(" "))
    .filter((words) => words.every((word) => holds.includes(word)));
  const best = fitting.reduce((most, words) => (words.length > most.length ? words : most), []);
  const made = variants[best.join(" ")] ?? { formula, mathml };
  if (!holds.includes("rms")) return made;
  return { formula: made.formula.replaceAll("LN", "RMS"), mathml: made.mathml.replace(LN, "$1R$2$1M$2$1S$2") };
}

/** @param {Stage} stage */
export function sides(stage) {
  const [rows, cols] = stage.axes.length > 1 ? stage.axes.slice(-2) : ["none", stage.axes[0]];
  return { rows, cols };
}

/**
 * Axes as the page names them: without heads, rows are tokens; without w_o, the output has the columns of concat.
 * @param {Stage} stage @param {State} state
 */
export function namedAxes(stage, { answer, view: { layer } }) {
  const { rows, cols } = sides(stage);
  const token = stage.axes.length === 3 && (rows === "query" || rows === "key");
  const width = answer?.tensors?.get(`layers.${layer}.${stage.name}`)?.shape.at(-1);
  const concat = cols === "d_model" && width !== undefined && width !== answer?.reply.shape.d_model;
  return { rows: token ? "token" : rows, cols: concat ? "head·d_v" : cols };
}

/** @param {Stage} stage */
export function isMap(stage) {
  const { rows, cols } = sides(stage);
  return cols === "key" && (rows === "query" || rows === "key");
}

/** @param {Stage} stage */
export function headAxis(stage) {
  const axis = stage.axes.length === 4 ? stage.axes[1] : null;
  return axis === "head" || axis === "kv_head" ? axis : null;
}
