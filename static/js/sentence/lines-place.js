/** The place of the suggestions, and which were not used yet; their room is kept until they arrive. */

import { keep, recalled } from "../lib/kept.js";

/** @typedef {import("../core/state.js").State} State */

export const LINES = ["looks", "expects", "drop"];
const KEPT = "lines-used";
const TABS = ["stages", "worth"]; // where the suggestions apply
const ONE_COLUMN = "(max-width: 899px)"; // as the style sheet of the stages says

/** Lines that are gone for good. */
export const used = () => (recalled(KEPT) ?? "").split(" ").filter(Boolean);

/** @param {string[]} names of lines that are gone from now on */
export const noteUsed = (names) => keep(KEPT, [...new Set([...used(), ...names])].join(" "));

/** Whether the lines are visible in this view. @param {Pick<State, "view">} state */
export const hasPlace = ({ view }) => used().length < LINES.length && TABS.includes(view.tab);

/**
 * In one column the suggestions are under the sentence, else at the top of the second column.
 * @param {HTMLElement} root
 * @param {State} state
 */
export function placeLines(root, state) {
  const [narrow, home] = [matchMedia(ONE_COLUMN), root.parentElement];
  const put = () => (narrow.matches ? document.getElementById("looks")?.after(root) : home?.prepend(root));
  narrow.addEventListener("change", put);
  put();
  root.hidden = !hasPlace(state);
}
