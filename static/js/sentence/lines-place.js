/** Placement of the suggestions, and which are unused; their space is reserved until they load. */

import { keep, recalled } from "../lib/kept.js";

/** @typedef {import("../core/state.js").State} State */

export const LINES = ["looks", "expects", "drop"];
const KEPT = "lines-used";
const TABS = ["stages", "worth"]; // where the suggestions apply
const ONE_COLUMN = "(max-width: 899px)"; // as in the style sheet of the stages

/** Suggestions removed for good. */
export const used = () => (recalled(KEPT) ?? "").split(" ").filter(Boolean);

/** @param {string[]} names of suggestions to remove */
export const noteUsed = (names) => keep(KEPT, [...new Set([...used(), ...names])].join(" "));

/** Whether suggestions are visible in this view. @param {Pick<State, "view">} state */
export const hasPlace = ({ view }) => used().length < LINES.length && TABS.includes(view.tab);

/**
 * In one column under the sentence, else at the top of the second column.
 * @param {HTMLElement} root @param {State} state
 */
export function placeLines(root, state) {
  const [narrow, home] = [matchMedia(ONE_COLUMN), root.parentElement];
  const put = () => (narrow.matches ? document.getElementById("looks")?.after(root) : home?.prepend(root));
  narrow.addEventListener("change", put);
  put();
  root.hidden = !hasPlace(state);
}
