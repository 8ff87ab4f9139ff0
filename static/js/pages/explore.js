/** The Explore page: one state, its address, its answers, and the views that draw from it. */

import { examples as fetchExamples } from "../data/api.js";
import { startAsking } from "../data/asking.js";
import { startExplaining } from "../data/explaining.js";
import { bindAddress } from "../data/history.js";
import { keptAs } from "../data/kept.js";
import { readPage } from "../data/page.js";
import { startRetrying } from "../data/retrying.js";
import { initialState, settled } from "../data/state.js";
import { find } from "../lib/dom.js";
import { fetched } from "../lib/fetched.js";
import { createStore } from "../lib/store.js";
import { examples } from "../views/examples.js";
import { updateHeader } from "../views/header.js";
import { heads } from "../views/heads.js";
import { help } from "../views/help.js";
import { notice } from "../views/notice.js";
import { options } from "../views/options.js";
import { pipeline } from "../views/pipeline.js";
import { sentence } from "../views/sentence.js";
import { share } from "../views/share.js";
import { play } from "../views/play.js";
import { tabs } from "../views/tabs.js";
import { tokens } from "../views/tokens.js";

/** @typedef {import("../data/state.js").State} State */

/**
 * A view among the stages: drawn while they are seen, and caught up when they are seen again.
 * @param {import("../data/state.js").ViewOf} view
 * @returns {import("../data/state.js").ViewOf}
 */
function onStages(view) {
  return (root, store) => {
    const { update, destroy } = view(root, store);
    let drawn = /** @type {State} */ ({ view: {} });
    return {
      update(state) {
        if (state.view.tab !== "stages") return;
        update(state, drawn);
        drawn = state;
      },
      destroy,
    };
  };
}

const VIEWS = {
  sentence,
  examples,
  share,
  options,
  notice,
  tokens,
  tabs,
  pipeline: onStages(pipeline),
  heads: onStages(heads),
  play,
  help,
};

const page = readPage();
const brief = new URLSearchParams(location.search).get("t"); // a short link: its question comes first
const away = brief !== null && !keptAs(brief);
const lost = away ? await (await fetched(() => import("../data/sharing.js"))).openShared(page) : null;
/** @type {import("../data/state.js").Store} */
const store = createStore(page, { ...initialState(page), lost });
const every = store.get().view.tab === "stages" ? null : await fetched(() => import("../data/every.js"));
startAsking(store); // the question is on its way while the views are built
every?.startEvery(store); // and every head
const parts = Object.entries(VIEWS).map(([name, view]) => view(find(`#${name}`), store));
let whole = false;
let filling = false;

/** @param {State} _ @param {State} previous */
function update(_, previous) {
  // A view may set the state while it updates: the later ones draw the newer state.
  for (const part of parts) part.update(store.get(), previous);
  if (!whole && settled(store.get())) addAround();
}

/** The menu can wait for the first picture, or refusal; where it stayed empty, a later one asks again. */
async function fillMenu() {
  if (filling || store.get().examples.length) return;
  filling = true;
  store.set({ examples: await fetchExamples().catch(() => []) }, { silent: true });
  filling = false;
}

async function addAround() {
  whole = true;
  fillMenu();
  const { AROUND, acceptDrops, drawOnPaper } = await fetched(() => import("./around.js"));
  drawOnPaper(store);
  acceptDrops(store);
  for (const [name, view] of Object.entries(AROUND)) {
    const part = view(find(`#${name}`), store);
    parts.push(part);
    part.update(store.get(), /** @type {State} */ ({ view: {} }));
  }
}

bindAddress(store);
store.subscribe(update);
store.subscribe(updateHeader);
update(store.get(), /** @type {State} */ ({ view: {} }));
updateHeader();
startExplaining(store);
startRetrying(store);
document.addEventListener("themechange", () => {
  store.set({ theme: document.documentElement.dataset.theme ?? "light" }, { silent: true });
});
store.subscribe(({ answer }, previous) => {
  if (answer && answer !== previous.answer) fillMenu();
});
