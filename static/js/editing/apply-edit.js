import { Answer } from "../core/answer.js";
import { Problem, attention } from "../core/api.js";
import { planOf } from "../core/asking.js";
import { parametersOf } from "../core/layer-parameters.js";
import { setQuestion } from "../core/question-changes.js";
import { h } from "../lib/dom.js";
import {
  explicitOf,
  isParameter,
  numberAt,
  obstacleOf,
  withNumber,
  withX,
  withOneText,
  onePlainLayer,
  raggedX,
} from "./edits.js";
import { begin, dropEdit, isWanted, commit } from "./undo.js";

/** @typedef {{store: Store, answered: import("./answers-by-question.js").AnswersByQuestion}} Bench */
/** @typedef {(root: HTMLElement, bench: Bench) => Part} BenchView */

/** @param {State} state @param {Answer} answer @param {Page} page */
async function inFull(state, answer, page) {
  if (!answer.numbers) return answer;
  const { body, heads } = planOf(state, page);
  return new Answer(await attention(body, new AbortController().signal), heads);
}

/**
 * The question with the numbers of a tensor written out. Null if impossible.
 * @param {Bench} bench @param {string} tensor @throws {Problem}
 */
async function writeNumbersOf({ store, answered }, tensor) {
  for (;;) {
    const { question } = store.get();
    if (isParameter(tensor) ? question.model.source === "explicit" : question.x) return question;
    const answer = await answered.waitForAnswer();
    const state = store.get();
    if (!answer || answered.of(state.question) !== answer) {
      if (!answer) return null;
      continue; // the question changed meanwhile
    }
    if (!isParameter(tensor)) return withX(state.question, await inFull(state, answer, store.page));
    if (obstacleOf(state.question, answer, store.page.limits)) return null;
    const parameters = await parametersOf(state, 0);
    if (store.get().question === state.question) return explicitOf(store.page, state.question, answer, parameters);
  }
}

/**
 * Applies an edit unless it was undone or the model has changed; true if applied.
 * @param {Bench} bench @param {() => Promise<Question | null>} next resolves to null if impossible @param {How} [how]
 */
export async function edit({ store }, next, how = {}) {
  const begun = begin(store, how);
  try {
    const question = await next();
    if (!isWanted(store, begun)) return false;
    if (question) commit(store, begun, question);
    else dropEdit(store, begun);
    return question !== null;
  } catch (problem) {
    const wanted = isWanted(store, begun);
    dropEdit(store, begun);
    if (!(problem instanceof Problem)) throw problem;
    if (wanted) store.set({ unchanged: problem }, { silent: true });
    return false;
  }
}

/** @param {Bench} bench @param {import("./edits.js").Place} place @param {number} value @param {How} [how] */
export function setNumber(bench, place, value, how) {
  const next = async () => {
    const question = await writeNumbersOf(bench, place.tensor);
    return question && numberAt(question, place) !== null ? withNumber(question, place, value) : null;
  };
  return edit(bench, next, how);
}

/** @param {Bench} bench @param {string} tensor */
export function obstacle(bench, tensor) {
  const { store, answered } = bench;
  const { t, page } = store;
  const { question, view } = store.get();
  const answer = answered.of(question);
  if (!answer) return null;
  const ragged = raggedX(answer.reply) ? "ragged" : null;
  const why = isParameter(tensor) ? obstacleOf(question, answer, page.limits) : ragged;
  if (!why) return null;
  const takeLayer = () =>
    edit(bench, async () => {
      const parameters = await parametersOf(store.get(), view.layer);
      return store.get().question === question ? explicitOf(page, question, answer, parameters, view.layer) : null;
    });
  /** @type {Record<string, [string, () => void]>} */
  const ways = {
    plain: [t("change.make_plain"), () => setQuestion(store, onePlainLayer(question))],
    layer: [t("change.take_layer", { layer: view.layer }), takeLayer],
    ragged: [t("change.take_sentence"), () => setQuestion(store, withOneText(question, answer, view.batch))],
  };
  const own = question.model.source === "seeded" ? "plain" : ragged ? "ragged" : "layer";
  const way = why === "large" ? null : ways[why === "ragged" ? "ragged" : own];
  const button = way && h("button", { type: "button", class: "button", onclick: way[1] }, way[0]);
  return h("span", { class: "obstacle" }, t(`change.cannot.${why}`), " ", button);
}
