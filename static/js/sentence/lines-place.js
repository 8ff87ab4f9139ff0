/** Keeps room for the suggestions until they load. */

import { isRandom } from "../core/question.js";
import { readText } from "../lib/local-storage.js";

export const LINES = ["looks", "expects", "drop"];
export const KEPT = "lines-used";
const TABS = ["stages", "worth"];
const ONE_COLUMN = "(max-width: 899px)"; // equal to the query in css/stages.css

/** Names of used suggestions, which do not appear again. */
export const used = () => (readText(KEPT) ?? "").split(" ").filter(Boolean);

/** @param {Pick<State, "view">} state */
export const hasPlace = ({ view }) => used().length < LINES.length && TABS.includes(view.tab);

/**
 * Reserves a line per unused suggestion. Random weights predict nothing.
 * @param {HTMLElement} root @param {Pick<State, "question">} state
 */
export function reserveLines(root, state) {
  const left = LINES.filter((name) => !used().includes(name) && !(name === "expects" && isRandom(state.question)));
  root.style.setProperty("--lines", `${left.length}`);
}

/** @param {HTMLElement} root @param {State} state */
export function placeLines(root, state) {
  reserveLines(root, state);
  const [narrow, home] = [matchMedia(ONE_COLUMN), root.parentElement];
  const put = () => (narrow.matches ? document.getElementById("looks")?.after(root) : home?.prepend(root));
  narrow.addEventListener("change", put);
  put();
  root.hidden = !hasPlace(state);
}
