/** The explanation of the pinned cell, fetched when the cell or its trace changes. */

import { Problem, cell as fetchCell } from "./api.js";
import { stageOf } from "./page.js";
import { bodyOf } from "./question.js";
import { sameNumbers, selection } from "./state.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Explanation} Explanation */

const PLACE = /** @type {const} */ (["cell", "batch", "layer", "head"]);

/** @param {import("./state.js").Store} store */
export function startExplaining(store) {
  let controller = new AbortController();

  /** @param {State} state */
  async function explain(state) {
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    const { cell } = state.view;
    if (!cell || !state.answer) {
      store.set({ explanation: null, unexplained: null }, { silent: true });
      return;
    }
    const { batch, layer, head } = selection(state);
    const own = state.answer.ownHead(stageOf(store.page, cell.stage), head);
    const place = { batch, layer, head: own, row: cell.row, col: cell.col };
    try {
      const { trace } = state.answer.reply;
      const explanation = await fetchCell(trace, cell.stage, place, bodyOf(state.question), signal);
      if (!signal.aborted) store.set({ explanation, unexplained: null }, { silent: true });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      store.set({ explanation: null, unexplained: error }, { silent: true });
    }
  }

  store.subscribe((state, previous) => {
    const again = state.unexplained !== null && state.attempt !== previous.attempt;
    const moved = PLACE.some((name) => state.view[name] !== previous.view[name]);
    // Under the name of another cell the old arithmetic would be wrong.
    if (moved && state.explanation) store.set({ explanation: null }, { silent: true });
    if (again || moved || !sameNumbers(state, previous)) explain(state);
  });
}
