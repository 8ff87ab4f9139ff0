import { unshown, readAddress } from "./address/address.js";
import { isPlain } from "./answer.js";
import { stagesOn, has } from "./page.js";

export const HEAD_TABS = ["heads", "lines"];

/** @type {State["reading"]} */
export const NO_READING = { heads: null, mapping: "" };

/** @param {Page} page @returns {State} */
export function initialState(page) {
  return {
    ...readAddress(new URL(location.href), page),
    hover: null,
    pointed: null,
    trail: [],
    answer: null,
    answered: null,
    overview: null,
    exact: 0,
    every: null,
    metrics: null,
    status: "asking",
    problem: null,
    attempt: 0,
    replaced: false,
    lost: null,
    explanation: null,
    unexplained: null,
    unchanged: null,
    steps: { past: [], future: [], pending: [] },
    examples: [],
    upload: null,
    uploadProblem: null,
    uploading: false,
    files: [],
    reading: NO_READING,
    drafts: {},
    named: 0,
    theme: document.documentElement.dataset.theme ?? "light",
    framed: null,
  };
}

/** @param {Pick<State, "status">} state */
export const isAsking = ({ status }) => status === "asking" || status === "slow";

/** Whether no reply to draw is awaited. @param {State} state */
export function mayPrefetch({ status, answer, every, view }) {
  if (isAsking({ status })) return false;
  return !answer || every !== null || !HEAD_TABS.includes(view.tab);
}

/** Whether the page shows a reason instead of stages. @param {State} state */
export function isBare({ answer, status, problem }) {
  return status === "empty" || (!answer && (status === "no_upload" || problem !== null));
}

/** Whether the text is too long for whole maps. @param {Pick<State, "answer">} state */
export const isLong = ({ answer }) => answer?.reply.whole_tokens !== undefined;

/** @param {Problem | null} problem */
export const needsHeadCount = (problem) => problem?.errors.some(({ at }) => at === "num_heads") ?? false;

/** @param {State} state */
export const asksHeadCount = ({ uploading, uploadProblem, question }) =>
  !uploading && question.model.source === "uploaded" && needsHeadCount(uploadProblem);

/**
 * Whether the block output equals the output.
 * @param {Pick<State, "answer">} state
 */
export function repeatsOutput({ answer }) {
  return answer?.reply.shape.num_layers === 1 && isPlain(answer.reply);
}

/**
 * Stages that a capture lists, else those of the answer, without a block output that repeats the output.
 * @param {Page} page @param {Pick<State, "answer">} state
 */
export function shownStages(page, { answer }) {
  const stages = answer?.reply.stages;
  const seen = (/** @type {string} */ name) =>
    name === "block_output" ? answer && !repeatsOutput({ answer }) : has(answer, name);
  return stagesOn(page).filter(({ name }) => (stages ? stages.includes(name) : seen(name)));
}

/** @template {Pick<State, "answer">} S @param {S} state @param {{layer: number}} view */
export function atLayer(state, { layer }) {
  const answer = state.answer?.at(layer) ?? null;
  return answer === state.answer ? state : { ...state, answer };
}

/**
 * Sets `answer` to that of the layer in view, and "ready" to "asking" for a new question.
 * @param {State} state @param {State} previous @returns {State}
 */
export function completeState(state, previous) {
  const open = state.status === "ready" && state.question !== previous.question && state.answer === previous.answer;
  return atLayer(open ? { ...state, status: "asking" } : state, state.view);
}

/** @param {State} state */
export function selection({ view: { batch, layer, head } }) {
  return { batch, layer, head };
}

/** @param {State} state @param {State} [previous] */
export function hasSameNumbers(state, previous) {
  return (
    previous !== undefined &&
    state.answer === previous.answer &&
    state.view.batch === previous.view.batch &&
    state.view.layer === previous.view.layer &&
    state.view.head === previous.view.head
  );
}

/** @param {State} state @param {Answer} answer */
export function clampView({ view }, answer) {
  const { shape } = answer.reply;
  const batch = Math.min(view.batch, shape.batch - 1);
  const layer = Math.min(view.layer, shape.num_layers - 1);
  const head = Math.min(view.head, shape.num_heads - 1);
  const [rows, cols] = answer.tensors.get(`layers.${layer}.${view.cell?.stage}`)?.shape.slice(-2) ?? [];
  const cell = view.cell && (view.cell.row >= rows || view.cell.col >= cols) ? null : view.cell;
  const { n, m } = answer.at(layer).reply.shape;
  const end = view.picked?.axis === "key" ? m : n;
  const picked = view.picked?.at.every((token) => token < end) ? view.picked : null;
  const heads = view.heads.filter(([layer, head]) => layer < shape.num_layers && head < shape.num_heads);
  const inside = { ...view, batch, layer, head, cell, heads, picked };
  return unshown(view, inside).length ? inside : view;
}
