import { startAsking } from "../core/asking.js";
import { defaultModel } from "../core/question.js";
import { SIDES, showsStage } from "../compare/pair.js";
import { sideStore } from "../compare/pair-stores.js";
import { bindPair, fetchNamed, initialComparison } from "../compare/pair-history.js";
import { readPage } from "../core/page.js";
import { startRetries } from "../core/retry-timer.js";
import { giveUpIfReplaced } from "../core/retrying.js";
import { find, h } from "../lib/dom.js";
import { createInput } from "../matrix/cell-input.js";
import { addInput } from "../matrix/heatmap.js";
import { lazyLoad } from "../lib/load.js";
import { createStore } from "../lib/store.js";
import { atLayer } from "../core/state.js";
import { sharedOptions } from "../compare/shared-options.js";
import { PairLarge, stageRow } from "../compare/stage-views.js";
import { DifferenceTable } from "../compare/difference-table.js";
import { skipInPlace, updateHeader } from "../shell/header.js";
import { help } from "../shell/key-help.js";
import { pairInspector } from "../compare/pair-inspector.js";
import { watchSession } from "../shell/session.js";
import { acceptDrops } from "../question/drops.js";
import { trackTrace } from "../question/shown-answers.js";
import { setFileHandler } from "../question/upload-request.js";
import { takeDropped } from "../question/text-file.js";
import { questionSide } from "../compare/question-side.js";
import { cellLine } from "../compare/three-values.js";

const page = readPage();
watchSession(page);
addInput(createInput);
await fetchNamed(page);
/** Sets status "asking" when a question changes, as `completeState` does. @param {State} now @param {State} before @returns {State} */
const asked = (now, before) =>
  now.status === "ready" && now.question !== before.question && now.answer === before.answer
    ? { ...now, status: "asking" }
    : now;

/** @type {import("../compare/pair.js").PairStore} */
const store = createStore(page, initialComparison(page), (pair, previous) => {
  const [a, b] = SIDES.map((name) => atLayer(asked(pair[name], previous[name]), pair.view));
  return a === pair.a && b === pair.b ? pair : { ...pair, a, b };
});
const stores = { a: sideStore(store, "a"), b: sideStore(store, "b"), difference: sideStore(store, "difference") };
startAsking(stores.a); // sends requests before building the views
startAsking(stores.b);

const rows = page.stages.map((stage) => {
  const root = h("article", { hidden: true });
  find("#contrasts").append(root);
  return { stage, root, part: stageRow(root, store, stores, stage) };
});
const [a, b] = [questionSide(find("#a"), store, stores.a, "a"), questionSide(find("#b"), store, stores.b, "b")];
const parts = [
  sharedOptions(find("#both"), store),
  new DifferenceTable(find("#differences"), store, stores.difference),
  cellLine(find("#trio"), store, stores),
  pairInspector(find("#inspector"), store, stores),
  new PairLarge(/** @type {HTMLDialogElement} */ (find("#large")), store, stores),
];
help(find("#help"), stores.a, ["arrows", "jump", "enter", "escape", "help"]);
/** @type {{a?: State, b?: State}} */
let before = {};
const traceOf = { a: trackTrace(stores.a.get()), b: trackTrace(stores.b.get()) };
const OF_BOTH = ["#contrasts", "#differences", "#trio", "#inspector", "#large"];

function update() {
  const now = { a: stores.a.get(), b: stores.b.get() };
  a.update(now.a, before.a);
  b.update(now.b, before.b);
  before = now;
  const state = store.get();
  const answered = [traceOf.a(now.a), traceOf.b(now.b)].every(Boolean);
  // Marks parts as outdated until both questions are answered.
  for (const part of OF_BOTH) find(part).toggleAttribute("data-other", !answered);
  document.body.toggleAttribute("data-answered", Boolean(state.a.answer && state.b.answer));
  for (const { stage, root, part } of rows) {
    root.hidden = !showsStage(state, stage);
    if (!root.hidden) part.update();
  }
  for (const part of parts) part.update(state);
  document.body.dataset.status = [state.a.status, state.b.status].find((status) => status !== "ready") ?? "ready";
}

bindPair(store);
setFileHandler(async (own, files) => {
  const { offerCapture } = await lazyLoad(() => import("../captures/capture-dialog.js"));
  return offerCapture(own, files, ({ id }) =>
    own.set({ question: { ...own.get().question, model: { ...defaultModel(page, "captured"), id } } }),
  );
});
acceptDrops((files, _, place) => {
  const over = place instanceof Element ? SIDES.find((name) => place.closest(`#${name}`)) : undefined;
  const waiting = SIDES.find((name) => stores[name].get().status === "no_upload");
  const side = over ?? waiting ?? SIDES.find((name) => stores[name].get().question.model.source === "uploaded");
  if (side) takeDropped(stores[side], files, place);
});
store.subscribe(update);
store.subscribe(updateHeader);
update();
updateHeader();
skipInPlace();
giveUpIfReplaced(stores.b);
startRetries(stores.a, stores.b);
document.addEventListener("themechange", () => {
  store.set({ theme: document.documentElement.dataset.theme ?? "light" }, { silent: true });
});
