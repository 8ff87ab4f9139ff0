/** The Compare page: two questions, and their difference at every stage. */

import { startAsking } from "../data/asking.js";
import { bindPair, initialComparison, lens, told } from "../data/comparing.js";
import { fetchNamed } from "../data/named.js";
import { readPage } from "../data/page.js";
import { startRetrying } from "../data/retrying.js";
import { find, h } from "../lib/dom.js";
import { createStore } from "../lib/store.js";
import { both } from "../views/both.js";
import { closeup } from "../views/closeup.js";
import { contrast } from "../views/contrast.js";
import { differences } from "../views/differences.js";
import { updateHeader } from "../views/header.js";
import { help } from "../views/help.js";
import { pinned } from "../views/pinned.js";
import { side } from "../views/side.js";
import { trio } from "../views/trio.js";

/** @typedef {import("../data/state.js").State} State */

const page = readPage();
await fetchNamed(page);
/** @type {import("../data/comparing.js").PairStore} */
const store = createStore(page, initialComparison(page));
const stores = { a: lens(store, "a"), b: lens(store, "b"), difference: lens(store, "difference") };
startAsking(stores.a); // the questions are on their way while the views are built
startAsking(stores.b);

const rows = page.stages.map((stage) => {
  const root = h("article", { hidden: true });
  find("#contrasts").append(root);
  return { stage, root, part: contrast(root, store, stores, stage) };
});
const [a, b] = [side(find("#a"), store, stores.a, "a"), side(find("#b"), store, stores.b, "b")];
const parts = [
  both(find("#both"), store),
  differences(find("#differences"), store, stores.difference),
  trio(find("#trio"), store, stores),
  pinned(find("#inspector"), store, stores),
  closeup(find("#large"), store, stores),
];
help(find("#help"), stores.a, ["arrows", "jump", "enter", "escape", "help"]);
const nothing = /** @type {State} */ ({ view: {} });
let before = { a: nothing, b: nothing };

function update() {
  const now = { a: stores.a.get(), b: stores.b.get() };
  a.update(now.a, before.a);
  b.update(now.b, before.b);
  before = now;
  const state = store.get();
  document.body.toggleAttribute("data-answered", Boolean(state.a.answer && state.b.answer));
  for (const { stage, root, part } of rows) {
    root.hidden = !told(state, stage);
    if (!root.hidden) part.update();
  }
  for (const part of parts) part.update(state);
  document.body.dataset.status = [state.a.status, state.b.status].find((status) => status !== "ready") ?? "ready";
}

bindPair(store);
store.subscribe(update);
store.subscribe(updateHeader);
update();
updateHeader();
startRetrying(stores.a);
startRetrying(stores.b);
document.addEventListener("themechange", () => {
  store.set({ theme: document.documentElement.dataset.theme ?? "light" }, { silent: true });
});
