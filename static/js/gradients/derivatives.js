/** Derivatives of one number f of the output, drawn like stages. */

import { newest } from "../lib/newest.js";
import { extent } from "../lib/paint.js";
import { deriveStore } from "../lib/derived-store.js";
import { Answer, wholeOf } from "../core/answer.js";
import { call, onProblem, post, readBody } from "../core/api.js";
import { askTrace } from "../core/traces.js";
import { isMap, mlpOf, stageOf } from "../core/page.js";
import { bodyOf } from "../core/question.js";

/** @typedef {import("../core/answer.js").Selection} Selection */

const NOISE = { F64: 1e-13, F32: 1e-6 }; // share of the largest derivative; smaller ones are rounding errors

/** A stage that only this tab shows. @type {Stage} */
export const JACOBIAN = {
  name: "jacobian",
  axes: ["key", "key"],
  formula: "diag(a) − aᵀa",
  mathml: "",
  inputs: [],
  kind: "difference",
  variants: {},
};

export class Derivatives extends Answer {
  /** @param {ArrayBuffer} bytes @param {Answer} of */
  constructor(bytes, of) {
    super(bytes, of.heads);
    this.derived = /** @type {any} */ (this.reply);
    this.of = of;
    this.reply = { ...of.reply, trace: `${of.reply.trace} ${JSON.stringify(this.derived.objective)}` };
    const all = [...this.tensors.values()];
    this.size = Math.max(...all.map(({ values }) => extent({ values, rows: 1, cols: values.length }).size));
    this.noise = this.size * (all[0]?.values instanceof Float32Array ? NOISE.F32 : NOISE.F64);
    /** @type {Map<Answer, Derivatives>} by the answer of a layer */
    this.turns = new Map([[of, /** @type {Derivatives} */ (this)]]);
  }

  /** @param {number} layer */
  at(layer) {
    const of = this.of.at(layer);
    if (!this.turns.has(of)) {
      const reply = { value: { ...of.reply, trace: this.reply.trace } };
      this.turns.set(of, Object.create(this, { of: { value: of }, reply }));
    }
    return /** @type {Derivatives} */ (this.turns.get(of));
  }

  /**
   * Colour range of a stage, or of all derivatives if the stage has only rounding errors.
   * @param {Stage} stage @param {Selection} place
   */
  extent(stage, place) {
    const block = this.block(stage, place);
    const own = block ? extent(block) : { size: 0, most: 0 };
    return own.size > this.noise ? own : { size: this.size, most: this.size };
  }

  /** @param {Stage} stage @param {Selection} place */
  block(stage, place) {
    const tensor = this.tensors.get(`layers.${place.layer}.${stage.name}`);
    if (tensor && tensor.shape.length < 3) {
      const [rows, cols] = [1, ...tensor.shape].slice(-2);
      return { rows, cols, values: tensor.values };
    }
    const block = super.block(stage, place);
    const masked = this.of.tensors.get(`layers.${place.layer}.masked_scores`);
    if (!block || !masked || !/weights|masked/.test(stage.name)) return block;
    const size = block.rows * block.cols;
    const start = (place.batch * masked.shape[1] + this.headIndex(stage, place.head)) * size;
    const values = block.values.map((value, at) => (masked.values[start + at] === -Infinity ? -Infinity : value));
    return { ...block, values };
  }
}

/** @param {Reply} reply */
export const lastLayer = ({ shape }) => shape.num_layers - 1;

/** Objective, clamped to the sizes of the answer. @param {State} state */
export function objectiveOf({ answer, view: { batch, objective } }) {
  const { at, row, col } = objective;
  const { reply, tensors } = /** @type {Answer} */ (answer);
  const [n, width] = tensors.get(`layers.${lastLayer(reply)}.${at}`)?.shape.slice(-2) ?? [reply.shape.n, Infinity];
  if (row === null) return { kind: "sum", at };
  const place = { at, row: Math.min(row, n - 1), batch };
  return col === null ? { kind: "row_norm", ...place } : { kind: "cell", ...place, col: Math.min(col, width - 1) };
}

/** @param {Page} page @param {State} state */
export function rowOf(page, { answer, view }) {
  const { reply } = /** @type {Answer} */ (answer);
  const { cell, objective, batch } = view;
  const pinned = cell && cell.stage !== JACOBIAN.name && isMap(stageOf(page, cell.stage)) ? cell.row : null;
  return Math.min(pinned ?? objective.row ?? Infinity, reply.lengths[batch] - 1);
}

/**
 * Jacobian of a row's softmax, diag(a) − aᵀa; null for too many keys. Cells of masked keys are −∞.
 * @param {Page} page @param {State} state @param {number} row
 */
export function jacobianOf(page, { answer, view }, row) {
  const [weights, masked] = ["weights", "masked_scores"].map((name) => answer?.block(stageOf(page, name), view));
  if (!weights || !masked || weights.cols > page.limits.max_jacobian_keys) return null;
  const { cols } = weights;
  const a = weights.values.subarray(row * cols, (row + 1) * cols);
  const closed = Array.from(a, (_, at) => masked.values[row * cols + at] === -Infinity);
  const values = Float64Array.from({ length: cols * cols }, (_, at) => {
    const [i, j] = [Math.floor(at / cols), at % cols];
    return closed[i] || closed[j] ? -Infinity : (i === j ? a[i] : 0) - a[i] * a[j];
  });
  const open = values.filter((value) => value !== -Infinity);
  const size = open.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const norm = Math.sqrt(open.reduce((sum, value) => sum + value * value, 0));
  return { rows: cols, cols, values, size, most: size, norm };
}

/**
 * @param {string[]} names
 * @param {(answer: Derivatives | null, problem: Problem | null) => void} show
 * @returns {(state: State) => Promise<void>}
 */
export function startDeriving(names, show) {
  const request = newest(
    (/** @type {Derivatives} */ found) => settle(found, null),
    onProblem((problem) => settle(null, problem)),
  );
  let asked = 0; // attempt of the last retry
  let missed = false;
  /** @param {Derivatives | null} found @param {Problem | null} problem */
  function settle(found, problem) {
    missed = !found;
    show(found, problem);
  }
  return async (state) => {
    const { answer, view, question, attempt } = state;
    if (!answer) return;
    const { trace } = answer.reply;
    const part = answer.heads ? { layers: [view.layer], heads: answer.heads } : {};
    const { context_lengths, holds, context_holds = holds } = wholeOf(answer.reply);
    const more = [...(context_lengths ? ["context"] : []), ...mlpOf(context_holds)];
    const stages = more.length ? [...names, ...more] : null; // the server omits optional stages unless named
    const body = { objective: objectiveOf(state), stages, ...part };
    if (missed) asked = attempt; // after a failure, a new attempt asks again
    const key = JSON.stringify([asked, trace, body]);
    await request.want(
      key,
      async (signal) => new Derivatives(await gradients(trace, body, bodyOf(question), signal), answer),
    );
  };
}

/**
 * Reposts the question if the server evicted the trace.
 * @param {string} trace @param {Record<string, unknown>} body @param {Record<string, unknown>} question
 * @param {AbortSignal} signal
 */
async function gradients(trace, body, question, signal) {
  const ask = () => call(`/api/v1/traces/${trace}/gradients?format=safetensors`, post(body, signal));
  const response = await askTrace(ask, question, signal);
  return readBody(response.arrayBuffer(), signal);
}

/**
 * A store with derivatives as answer. A click on the last layer's output chooses f.
 * @typedef {{answer: Derivatives | null, store: Store}} Lens @param {Store} store @param {() => void} redraw
 * @returns {Lens}
 */
export function derivativeStore(store, redraw) {
  const nothing = {
    answer: /** @type {Derivatives | null} */ (null),
    hover: /** @type {State["hover"]} */ (null),
  };
  const page = derivedPage(store, () => /** @type {Derivatives | null} */ (seen.get().answer));
  const seen = deriveStore(store, through, nothing, { page, t, set });

  /**
   * @param {State} from @param {typeof nothing} own @param {{from: State, state: State} | null} last @returns {State}
   */
  function through(from, own, last) {
    const view =
      last?.from.view === from.view ? last.state.view : { ...from.view, tab: /** @type {const} */ ("stages") };
    return { ...from, ...own, answer: own.answer?.at(view.layer) ?? null, view };
  }

  /** @type {Store["t"]} */
  function t(key, values) {
    return key.startsWith("stage.") ? (page.messages[key] ?? key) : store.t(key, values);
  }

  /** @type {Store["set"]} */
  function set({ hover, view, ...rest }, how) {
    if (hover !== undefined) seen.put({ hover });
    if (view) choose(view, how);
    else if (Object.keys(rest).length) store.set(rest, how);
    redraw();
  }

  /** @param {State["view"]} view @param {How} [how] */
  function choose({ cell, ...view }, how) {
    const now = store.get().view;
    if (cell?.stage === JACOBIAN.name) return;
    const { answer } = seen.own();
    const ends = cell && /^(block_)?output$/.test(cell.stage) && answer && view.layer === lastLayer(answer.reply);
    if (!ends) return store.set({ view: { ...view, cell, tab: now.tab }, trail: [] }, how);
    const { stage, row, col } = cell;
    const objective = { at: /** @type {"output" | "block_output"} */ (stage), row, col };
    const again = JSON.stringify(objective) === JSON.stringify(now.objective);
    store.set({ view: { ...now, objective: again ? { ...objective, row: null, col: null } : objective } }, how);
  }

  return {
    get answer() {
      return seen.own().answer;
    },
    set answer(answer) {
      seen.put({ answer });
    },
    store: seen,
  };
}

/**
 * Copy of the page whose stages are signed derivatives.
 * @param {Store} store @param {() => Derivatives | null} answerNow @returns {Page}
 */
function derivedPage({ page, t }, answerNow) {
  /** @param {Stage} stage @returns {Stage} */
  const named = (stage) => ({
    ...stage,
    kind: "difference",
    variants: {},
    formula: t("gradients.about"),
    get mathml() {
      const { derived, reply } = answerNow() ?? {};
      const asks = reply?.attends_to && reply.context_lengths;
      return (asks ? derived.context_mathml : derived?.mathml)?.[stage.name] ?? "";
    },
  });
  const messages = { ...page.messages, [`stage.${JACOBIAN.name}`]: t("gradients.softmax") };
  for (const { name } of [...page.stages, ...page.parameters, ...page.operands])
    messages[`stage.${name}`] = t("gradients.of", { stage: page.messages[`stage.${name}`] ?? name });
  return {
    ...page,
    messages,
    stages: page.stages.map(named),
    parameters: page.parameters.map(named),
    operands: [...page.operands.map(named), JACOBIAN],
  };
}
