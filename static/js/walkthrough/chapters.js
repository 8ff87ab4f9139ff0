/** Text, numbers and scene of each chapter. */

import { products, picture, softmaxOf, sumOf } from "./timeline.js";
import { rowTimesColumn } from "../core/row-times-column.js";
import { isClosed, valueAt } from "../lib/paint.js";
import { format } from "../lib/numbers.js";
import { equationScene, equationsScene, stripsScene, sumScene, wholeScene } from "./scenes.js";
import { nameOf } from "../matrix/names.js";

/** @typedef {import("./timeline.js").Subject} Subject */
/**
 * @typedef {{words: string, scene: import("./scenes.js").Scene | null, lesson?: string}} Chapter `lesson`: chapter of the course
 */
/** @typedef {{store: Store, state: State, subject: Subject, explanation: Explanation | null, names: Record<string, unknown>, say: (key: string, values?: Record<string, unknown>) => string, show: (value: number) => string}} Context */

/** A masked weight is 0, although pictures have −∞. @param {string} stage @param {number} value */
const plain = (stage, value) => (stage === "weights" && value === -Infinity ? 0 : Number(value));

/**
 * Number of a cell; NaN if the answer lacks it.
 * @param {Context} context @param {string} stage @param {number} row @param {number} col
 */
function at({ store, state }, stage, row, col) {
  const seen = picture(store, state, stage);
  return seen ? plain(stage, valueAt(seen, row, col)) : NaN;
}

/** @param {Context} context @param {string} stage @param {number} row */
function rowOf({ store, state }, stage, row) {
  const seen = picture(store, state, stage);
  return seen ? Array.from({ length: seen.cols }, (_, col) => plain(stage, valueAt(seen, row, col))) : [];
}

/** @type {Record<string, (context: Context) => Chapter>} */
const CHAPTER = {
  project(context) {
    const { store, state, subject, explanation, say, show } = context;
    const { row, col } = subject;
    const cross = Boolean(state.answer?.reply.context_lengths);
    const step = explanation?.steps.find(({ left }) => left); // x W_Q, before norm and rotation
    const product = step && rowTimesColumn(step);
    if (product) {
      const [left, right] = [product.left, product.right].map((side) => side.map(({ value }) => value ?? 0));
      const sum = sumOf(products(left, right), step.value ?? NaN);
      const key = `project.made${product.bias ? ".bias" : ""}`;
      const others = say(cross ? "project.rest.context" : "project.rest");
      const [first, last] = [step, explanation].map((each) => show(each?.value ?? NaN));
      const later = laterSteps(explanation);
      const rest = later ? say(`project.${later}`, { value: last, rest: others }) : others;
      const made_of = say(key, { value: first, bias: show(product.bias?.value ?? 0), rest });
      const words = product.left[0].stage === "x" ? made_of : say("project.after_norm", { words: made_of });
      return { words, scene: sumScene(store, state, sum, { a: product.left[0].stage, b: "w_q", axis: "d_model" }) };
    }
    const strips = [
      { stage: "x", row, from: 0, to: 0.15 },
      { stage: "q", row, from: 0.2, to: 0.45 },
      { stage: cross ? "context" : "x", row: col, from: 0.5, to: 0.65 },
      { stage: "k", row: col, from: 0.7, to: 1 },
    ];
    return { words: say(cross ? "project.context" : "project"), scene: stripsScene(store, state, strips) };
  },
  scores(context) {
    const { store, state, subject, say, show } = context;
    const { row, col } = subject;
    const total = at(context, "scores", row, col);
    const sum = sumOf(products(rowOf(context, "q", row), rowOf(context, "k", col)), total);
    const scene = sumScene(store, state, sum, { a: "q", b: "k", axis: "d_k" });
    return { words: say("scores", { value: show(total) }), scene };
  },
  scaled_scores(context) {
    const { store, state, subject, say, show } = context;
    const { row, col } = subject;
    const { scale, temperature, shape } = /** @type {NonNullable<State["answer"]>} */ (state.answer).reply;
    const [score, value] = [at(context, "scores", row, col), at(context, "scaled_scores", row, col)];
    const usual = Math.abs(scale * Math.sqrt(shape.d_k) - 1) < 1e-6;
    const root = usual ? `1/√${shape.d_k} = ` : "";
    const scene = equationScene(store, state, [
      { text: store.t("stage.scores"), stage: "scores", value: score },
      { text: `× (${root}${show(scale)})` },
      ...(temperature === 1 ? [] : [{ text: `÷ ${show(temperature)}` }]),
      { text: "=" },
      { text: store.t("stage.scaled_scores"), stage: "scaled_scores", value },
    ]);
    const values = { score: show(score), value: show(value), scale: show(scale), temperature: show(temperature) };
    const words = say(temperature === 1 ? "scaled_scores" : "scaled_scores.temperature", values);
    return { words: usual ? say("scaled_scores.why", { words }) : words, scene, lesson: "scaling" };
  },
  masked_scores(context) {
    const { store, state, subject, say, show } = context;
    const { row, col } = subject;
    const value = show(at(context, "masked_scores", row, col));
    if (isMasked(context, col))
      return { words: say("masked_scores.shut"), scene: equationScene(store, state, throughMask(context, col)) };
    const closedKey = nearestMaskedKey(context);
    const words = say("masked_scores", { value });
    if (closedKey === null) return { words, scene: equationScene(store, state, throughMask(context, col)) };
    const both = [col, closedKey].map((key) => equationScene(store, state, throughMask(context, key)));
    const other = nameOf(state, "key", closedKey);
    return { words: say("masked_scores.neighbour", { words, other }), scene: equationsScene(both) };
  },
  weights(context) {
    const { store, state, subject, say, show } = context;
    const sum = softmaxOf(store, state, subject.row);
    if (!sum?.terms.length) return { words: say("weights.nothing"), scene: null };
    const scene = sumScene(store, state, sum, { a: "masked_scores", axis: "key", after: "weights", mark: subject.col });
    const value = show(at(context, "weights", subject.row, subject.col));
    const key = isMasked(context, subject.col) ? "weights.shut" : "weights";
    return { words: say(key, { value, max: show(sum.max), sum: show(sum.total) }), scene };
  },
  head_outputs(context) {
    const { store, state, subject, say, show } = context;
    const { row, feature } = subject;
    const weights = rowOf(context, "weights", row);
    const column = weights.map((_, key) => at(context, "v", key, feature));
    const map = picture(store, state, "weights");
    const open = products(weights, column).filter(({ index }) => map && !isClosed(map, row, index));
    const total = at(context, "head_outputs", row, feature);
    const scene = sumScene(store, state, sumOf(open, total), { a: "weights", b: "v", axis: "key" });
    return { words: say("head_outputs", { feature, value: show(total) }), scene };
  },
  concat({ store, state, subject: { row }, say }) {
    const { num_heads, d_v } = /** @type {NonNullable<State["answer"]>} */ (state.answer).reply.shape;
    const { head } = state.view;
    const strips = /** @type {import("./scenes.js").Strip[]} */ ([
      { stage: "head_outputs", row, from: 0, to: 0.4 },
      { stage: "concat", row, from: 0.4, to: 1, part: [head / num_heads, (head + 1) / num_heads] },
    ]);
    const values = { heads: num_heads, head, width: num_heads * d_v };
    return { words: say("concat", values), scene: stripsScene(store, state, strips) };
  },
  output(context) {
    const { store, state, subject, explanation, say, show } = context;
    const { row, out } = subject;
    const total = at(context, "output", row, out);
    const values = { out, value: show(total) };
    const step = explanation?.steps.find(({ stage }) => stage === "output");
    const product = step && rowTimesColumn(step);
    if (!product) {
      const strips = [
        { stage: "concat", row, from: 0, to: 0.4 },
        { stage: "output", row, from: 0.4, to: 1 },
      ];
      const key = step ? "output.plain" : "output";
      return { words: say(key, values), scene: stripsScene(store, state, strips) };
    }
    const [left, right] = [product.left, product.right].map((side) => side.map(({ value }) => value ?? 0));
    const { bias } = product;
    const terms = products(left, right);
    const scene = sumScene(store, state, sumOf(terms, total), { a: "concat", b: "w_o", axis: "head·d_v" });
    return { words: say(bias ? "output.bias" : "output", { ...values, bias: show(bias?.value ?? 0) }), scene };
  },
  row({ store, state, subject: { row }, say }) {
    const stages = ["scores", "scaled_scores", "masked_scores", "weights", "head_outputs", "output"];
    const n = stages.length;
    const strips = stages.map((stage, index) => ({ stage, row, from: index / n, to: (index + 1) / n }));
    return { words: say("row"), scene: stripsScene(store, state, strips) };
  },
  rest({ store, state, say }) {
    const stages = ["scores", "masked_scores", "weights", "head_outputs", "output"];
    return { words: say("rest"), scene: wholeScene(store, state, stages) };
  },
};

/** @param {Context} context @param {number} key */
function isMasked({ store, state, subject: { row } }, key) {
  const map = picture(store, state, "weights");
  return map !== null && isClosed(map, row, key);
}

/** @param {Context} context */
function nearestMaskedKey(context) {
  const { store, state, subject } = context;
  const map = picture(store, state, "weights");
  const count = map ? Math.min(map.cols, map.realCols ?? Infinity) : 0;
  const keys = Array.from({ length: count }, (_, key) => key).filter((key) => isMasked(context, key));
  const far = (/** @type {number} */ key) => Math.abs(key - subject.col);
  return keys.reduce(
    (/** @type {number | null} */ near, key) => (near === null || far(key) < far(near) ? key : near),
    null,
  );
}

/** @param {Context} context @param {number} key */
function throughMask(context, key) {
  const { store, state, subject } = context;
  const shut = isMasked(context, key);
  const after = shut ? -Infinity : at(context, "masked_scores", subject.row, key);
  const name = nameOf(state, "key", key);
  const pieces = [
    { text: `${name} ·` },
    {
      text: store.t("stage.scaled_scores"),
      stage: "scaled_scores",
      value: at(context, "scaled_scores", subject.row, key),
    },
    { text: store.t(shut ? "tell.shut" : "tell.open") },
    { text: store.t("stage.masked_scores"), stage: "masked_scores", value: after },
  ];
  return shut ? [...pieces, { text: store.t("tell.softmax") }, { text: "0 %" }] : pieces;
}

/** Message key for norm and rotation after the product; null if neither. @param {Explanation | null} explanation */
function laterSteps(explanation) {
  const stages = explanation?.steps.map(({ stage }) => stage) ?? [];
  const [normed, turned] = ["unnormed_q", "unrotated_q"].map((stage) => stages.includes(stage));
  if (normed && turned) return "normed_turned";
  return normed ? "normed" : turned ? "turned" : null;
}

/**
 * @param {Store} store @param {State} state @param {Subject} subject @param {string} chapter
 * @param {Explanation | null} explanation
 */
export function chapterOf(store, state, subject, chapter, explanation) {
  const { row, col } = subject;
  const { shape } = /** @type {NonNullable<State["answer"]>} */ (state.answer).reply;
  const names = { query: nameOf(state, "query", row), key: nameOf(state, "key", col), ...shape };
  return CHAPTER[chapter]({
    store,
    state,
    subject,
    explanation,
    names,
    say: (key, values = {}) => store.t(`tell.${key}`, { ...names, ...values }),
    show: (value) => format(value, state.view.precision),
  });
}
