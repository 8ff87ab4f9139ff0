/** Parts loaded after the first picture. */

import { call } from "../core/api.js";
import { startRetries } from "../core/retry-timer.js";
import { WordLens } from "../core/word-lens.js";
import { ofWeights as weightsIn, setLens, wordView } from "../core/in-words.js";
import { startTokenWindows } from "../core/token-windows.js";
import { isWeightPinned, startExplaining } from "../inspector/explanation.js";
import { inspector } from "../inspector/inspector.js";
import { picked } from "../picked/picked-panel.js";
import { predictions } from "../predictions/predictions.js";
import { createInput } from "../matrix/cell-input.js";
import { lazyLoad } from "../lib/load.js";
import { runInSlices } from "../lib/time-slices.js";
import { addInput } from "../matrix/heatmap.js";
import { cellAnnouncer } from "../matrix/announce-cell.js";
import { UNANSWERED, examples } from "../question/examples.js";
import { markOthers } from "../question/shown-answers.js";
import { setFileHandler } from "../question/upload-request.js";
import { textTools } from "../question/text-tools.js";
import { keepCaptionHeight } from "../sentence/caption-height.js";
import { startNotes } from "../sentence/model-notes.js";
import { threeLines } from "../sentence/three-lines.js";
import { drawOnPaper } from "../share/print.js";
import { share } from "../share/share-buttons.js";
import { play } from "../shell/lazy-panels.js";
import { help } from "../shell/key-help.js";
import { watchSession } from "../shell/session.js";
import { tabKeys, keepOut } from "../shell/tab-controls.js";
import { animateFirstVisit } from "../stages/card-animation.js";
import { heads } from "../stages/head-selector.js";
import { leftOutNotes, outlierNotes } from "../stages/picture-notes.js";
import { pickable } from "../stages/pickable-chips.js";
import { chips } from "../stages/token-chips.js";
import { startMarking } from "../stages/token-kinds.js";
import { longChips } from "../stages/token-search.js";
import { scoreParts } from "../why/score-parts.js";
import { onStages } from "../core/while-seen.js";

export { takeDropped } from "../question/text-file.js";

setFileHandler(async (store, files) =>
  (await lazyLoad(() => import("../captures/capture-dialog.js"))).offerCapture(store, files),
);

/** @type {Record<string, ViewOf>} */
const LATE_PARTS = {
  sentence: textTools,
  tokens: (root, store) =>
    together([chips(root, store, "query", longChips(store, "query")), pickable(root, store, "query")]),
  tabs: (root, store) => together([tabKeys(root, store), keepOut(root, store)]),
  heads: onStages(wordView(heads)),
  pipeline: (root, store, slots) =>
    together([animateFirstVisit(root, store), leftOutNotes(root, store, slots), outlierNotes(root, store, slots)]),
  examples,
  share,
  first: wordView(threeLines),
  picked: wordView(picked),
  predictions,
  inspector: wordView(inspector, isWeightPinned),
  main: scoreParts, // in a slot of the inspector
  spoken: wordView(cellAnnouncer, ({ hover }) => hover?.stage === "weights", weightsIn),
  play,
  help: (root, store) => help(root, store),
};

/** @param {Part[]} parts @returns {Part} */
function together(parts) {
  return {
    update(state, previous) {
      for (const part of parts) part.update(state, previous);
    },
    destroy() {
      for (const part of parts) part.destroy();
    },
  };
}

/** @param {Store} store @param {(view: ViewOf, name: string) => void} add */
export async function startLateParts(store, add) {
  addInput(createInput);
  setLens(new WordLens(store.page));
  const { tokens, skip } = store.get().view;
  if (tokens === "words" || skip.length) store.set({}, { silent: true }); // redraws the views
  startRetries(store);
  watchSession(store.page);
  drawOnPaper(store);
  markOthers(store);
  startExplaining(store);
  startTokenWindows(store);
  fillMenu(store);
  await runInSlices(Object.entries(LATE_PARTS), ([name, view]) => add(view, name));
  keepCaptionHeight(store);
  startMarking(store);
  startNotes(store);
}

async function fetchExamples() {
  return (await (await call("/api/v1/examples")).json()).examples;
}

/** Fetches the examples; after a failure, again at the next answer or retry. @param {Store} store */
function fillMenu(store) {
  let filling = false;

  async function fill() {
    if (filling || store.get().examples.length) return;
    filling = true;
    store.set({ examples: await fetchExamples().catch(() => UNANSWERED) }, { silent: true });
    filling = false;
  }

  store.subscribe(({ answer, attempt }, previous) => {
    if (answer && (answer !== previous.answer || attempt !== previous.attempt)) fill();
  });
  fill();
}
