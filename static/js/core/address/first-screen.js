import { asQuestion } from "../question.js";
import { DEFAULT_VIEW } from "./fields.js";

/** @typedef {{question: Question, view: View}} Asked */

/** @param {URL} url */
const isBare = ({ searchParams, hash }) => [...searchParams.keys()].every((name) => name === "lang") && hash.length < 2;

/** State that the server chose for an empty address; null for defaults. @param {Page} page @returns {Asked | null} */
export const firstScreen = ({ first, ...page }) =>
  first ? { question: asQuestion(page, first.question), view: { ...DEFAULT_VIEW, ...first.view } } : null;

/** @param {URL} url @param {Page} page */
export const openedBy = (url, page) => (isBare(url) ? firstScreen(page) : null);

/** @param {Asked} state @param {Page} page */
export function isFirst({ question, view }, page) {
  const first = firstScreen(page);
  return first !== null && JSON.stringify(first) === JSON.stringify({ question, view });
}
