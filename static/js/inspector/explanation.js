/** Loads the explanation of the pinned cell. */

import { onProblem } from "../core/api.js";
import { answerKey, requestCell as fetchCell } from "../core/traces.js";
import { stageOf } from "../core/page.js";
import { bodyOf } from "../core/question.js";
import { hasSameNumbers, selection } from "../core/state.js";
import { mergingOf } from "../core/word-lens.js";
import { inWords } from "../core/in-words.js";
import { newest } from "../lib/newest.js";

const PLACE = /** @type {const} */ (["cell", "batch", "layer", "head", "tokens", "keys", "queries"]);

/** @param {Pick<State, "view">} state */
export const isWeightPinned = ({ view }) => view.cell?.stage === "weights";

/** @param {Store} store */
export function startExplaining(store) {
  /** @param {Pick<State, "explanation" | "unexplained">} found */
  const show = (found) => store.set(found, { silent: true });
  const request = newest(
    (/** @type {Explanation} */ explanation) => show({ explanation, unexplained: null }),
    onProblem((unexplained) => show({ explanation: null, unexplained })),
  );

  /** @param {State} state */
  function explain(state) {
    const seen = isWeightPinned(state) ? inWords(state) : state;
    const { cell } = seen.view;
    request.drop();
    if (!cell || !state.answer) return show({ explanation: null, unexplained: null });
    const { trace } = state.answer.reply;
    const { batch, layer, head } = selection(state);
    const own = state.answer.ownHead(stageOf(store.page, cell.stage), head);
    const place = { batch, layer, head: own, row: cell.row, col: cell.col, ...mergingOf(seen) };
    request.want(trace, async (signal) => {
      const found = await fetchCell(trace, cell.stage, place, bodyOf(state.question), signal);
      return { ...found, of: answerKey(state) };
    });
  }

  store.subscribe((state, previous) => {
    const again = state.unexplained !== null && state.attempt !== previous.attempt;
    const moved = PLACE.some((name) => state.view[name] !== previous.view[name]);
    if (moved && state.explanation) store.set({ explanation: null }, { silent: true });
    if (again || moved || !hasSameNumbers(state, previous)) explain(state);
  });
  if (store.get().view.cell) explain(store.get()); // the cell was pinned before this script loaded
}
