import { setView } from "../core/actions.js";
import { startAsking } from "../core/asking.js";
import { readAddress } from "../core/address/address.js";
import { bindAddress } from "../core/address/history.js";
import { findKept } from "../core/address/long-questions.js";
import { readPage } from "../core/page.js";
import { predicts } from "../core/position.js";
import { giveUpIfReplaced } from "../core/retrying.js";
import { initialState, completeState, mayPrefetch } from "../core/state.js";
import { weightView, wordView } from "../core/in-words.js";
import { startStepping } from "../editing/stepping.js";
import { find, isTaken } from "../lib/dom.js";
import { lazyLoad, loadOrNull } from "../lib/load.js";
import { makeSlots } from "../lib/slots.js";
import { createStore } from "../lib/store.js";
import { skipInPlace, updateHeader } from "../shell/header.js";
import { acceptDrops } from "../question/drops.js";
import { notice } from "../question/notice.js";
import { options } from "../question/summary.js";
import { pipeline } from "../stages/pipeline.js";
import { sentence } from "../question/sentence.js";
import { placeLines } from "../sentence/lines-place.js";
import { sentencePicture } from "../sentence/sentence-picture.js";
import { selectorPlace } from "../stages/selector-place.js";
import { tabs } from "../shell/tabs.js";
import { onStages } from "../core/while-seen.js";

function isShort() {
  const name = new URLSearchParams(location.search).get("t");
  return name !== null && !findKept(name);
}

async function openShort() {
  lostQuestion();
  const script = await loadOrNull(() => import("../core/address/short-link.js"));
  if (!script) return;
  const lost = await script.openShared(page);
  store.set({ ...readAddress(new URL(location.href), page), lost }, { silent: true });
}

async function begin() {
  while (isShort() && !store.get().replaced) await openShort();
  if (isShort()) return store.set({ ignored: [] }, { silent: true });
  bindAddress(store);
  startStepping(store);
  // Request the weights of all heads before their tab loads.
  if (store.get().view.tab !== "stages")
    lazyLoad(() => import("../core/all-heads.js")).then((all) => all.startAllHeads(store));
  startAsking(store, true);
}

/** Until lazy-panels.js has loaded, Esc closes panels that the address opens. @param {KeyboardEvent} event */
function onEscape(event) {
  const { framed, view } = store.get();
  const opened = view.step || view.present || (view.stage && view.stage !== framed);
  if (event.key !== "Escape" || isTaken(event) || !opened) return;
  setView(store, { step: null, present: false, stage: framed, table: false });
}

/** Whether the address needs `late-parts.js` at once. @param {State} state */
const opensMore = ({ view: { cell, picked, stage, step, present, change, tokens } }) =>
  Boolean(cell || picked || stage || step || present || change || tokens === "words");

/** @type {ViewOf} */
const roomForPredictions = (root, { page: its }) => ({
  update: (state) => void (root.hidden = !predicts(its, state)),
  destroy: () => undefined,
});

/** @type {Record<string, ViewOf>} */
const VIEWS = {
  sentence,
  options,
  notice,
  looks: wordView(sentencePicture),
  predictions: roomForPredictions,
  tabs,
  pipeline: onStages((root, store, slots) => pipeline(root, store, slots, weightView)),
  heads: selectorPlace,
};
const loadLateParts = () => lazyLoad(() => import("./late-parts.js"));
const lostQuestion = () => lazyLoad(() => import("../share/lost-question.js"));

const page = readPage();
/** @type {Store} */
const store = createStore(page, initialState(page), completeState);
giveUpIfReplaced(store);
document.addEventListener("themechange", () => {
  store.set({ theme: document.documentElement.dataset.theme ?? "light" }, { silent: true });
});
const begun = begin();
acceptDrops(async (files, _, place) => {
  await begun;
  (await loadLateParts()).takeDropped(store, files, place);
});
document.addEventListener("keydown", onEscape);
await begun;
if (document.body.classList.contains("embed")) store.set({ framed: store.get().view.stage }, { silent: true });
const slots = makeSlots();
if (opensMore(store.get())) loadLateParts(); // load during the first request
placeLines(find("#first"), store.get());
const parts = Object.entries(VIEWS).map(([name, view]) => view(find(`#${name}`), store, slots));
let whole = false;
let toldLost = false;

/** @type {Part["update"]} */
function update(state, previous) {
  for (const part of parts) part.update(state, previous);
  if (state.lost && !toldLost) tellLost();
  if (!whole && mayPrefetch(state)) addLateParts();
}

/** @param {ViewOf} view @param {string} name */
function add(view, name) {
  const part = view(find(`#${name}`), store, slots);
  parts.push(part);
  part.update(store.get());
}

async function addLateParts() {
  whole = true;
  await (await loadLateParts()).startLateParts(store, add);
  document.removeEventListener("keydown", onEscape);
}

async function tellLost() {
  toldLost = true;
  add((await lostQuestion()).lost, "main");
}

store.subscribe(update);
store.subscribe(updateHeader);
update(store.get());
updateHeader();
skipInPlace();
