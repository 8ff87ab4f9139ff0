/** Builds the states of a chapter's figures, and requests its exercises. */

import { writeAddress } from "../core/address/address.js";
import { DEFAULT_VIEW, TABS } from "../core/address/fields.js";
import { send } from "../core/any-reply.js";
import { asQuestion } from "../core/question.js";
import { pageAddress } from "../core/page-address.js";
import { initialState } from "../core/state.js";

/**
 * `view` is "cards", "training" or a tab. `own`: the figure shows the reader's sentence.
 * @typedef {{name: string, question: Record<string, any>, stages: string[], view: string, look: Record<string, any>,
 * knobs: string[], own: boolean, program: boolean}} Figure
 */

/** @typedef {{name: string, kind: string, prompt: string, choices: {value: string, label: string}[], decimals: number, open: boolean, given: {name: string, label: string, values: number[][]}[], question: Record<string, any> | null}} Exercise */
/** @typedef {{right: boolean | null, answer: string | null, hint: string | null, worked: string | null, near: string | null, unreadable: boolean}} Mark */

/** @param {Page} page @param {Figure} figure @param {string} text @returns {State} */
export function stateOf(page, figure, text) {
  const [stage, row, col] = figure.look.cell ?? [];
  const look = { ...figure.look, cell: stage ? { stage, row, col } : null };
  const tab = TABS.find((name) => name === figure.view) ?? "stages";
  const view = /** @type {View} */ ({ ...DEFAULT_VIEW, tab, ...look });
  const question = { ...asQuestion(page, figure.question), ...(figure.own && { text }) }; // its lines form the batch
  return { ...initialState(page), question, view, ignored: [] };
}

/** @param {Pick<State, "question" | "view">} state @param {Page} page */
export function exploreLink(state, page) {
  return writeAddress(state, new URL(pageAddress("/"), location.href), page);
}

/**
 * @param {Record<string, any>} question
 * @param {Page} page
 */
export function questionLink(question, page) {
  return exploreLink({ question: asQuestion(page, question), view: DEFAULT_VIEW }, page);
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 */
async function requestJson(method, path, body) {
  const { status, text } = await send(method, path, body === undefined ? null : JSON.stringify(body));
  const reply = JSON.parse(text);
  if (status >= 400) throw new Error(reply.detail, { cause: status }); // the server refused the request
  return reply;
}

/**
 * @param {string} chapter
 * @param {number} seed
 * @returns {Promise<Exercise[]>}
 */
export async function exercisesOf(chapter, seed) {
  return (await requestJson("GET", `/api/v1/learn/${chapter}/exercises?seed=${seed}&markup=true&sentences=true`))
    .exercises;
}

/**
 * @param {string} chapter @param {number} seed @param {(string | number | null)[]} answers
 * @param {(string | number | null)[]} tries 1 or 2 @returns {Promise<Mark[]>}
 */
export async function marksOf(chapter, seed, answers, tries) {
  return (
    await requestJson("POST", `/api/v1/learn/${chapter}/marks`, { seed, answers, tries, markup: true, sentences: true })
  ).marks;
}
