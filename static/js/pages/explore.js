/** The Explore page: one state, its address, its answers, and the views that draw from it. */

import { examples as fetchExamples } from "../core/api.js";
import { startAsking } from "../core/asking.js";
import { startExplaining } from "../inspector/explanation.js";
import { bindAddress } from "../core/address/history.js";
import { keptAs } from "../core/address/long-questions.js";
import { readPage } from "../core/page.js";
import { startRetrying } from "../core/retrying.js";
import { initialState, settled } from "../core/state.js";
import { find } from "../lib/dom.js";
import { fetched } from "../lib/load.js";
import { makeSlots } from "../lib/slots.js";
import { createStore } from "../lib/store.js";
import { examples } from "../question/examples.js";
import { skipInPlace, updateHeader } from "../shell/header.js";
import { heads } from "../stages/head-selector.js";
import { help } from "../shell/key-help.js";
import { notice } from "../question/notice.js";
import { options } from "../question/options.js";
import { pipeline } from "../stages/pipeline.js";
import { sentence } from "../question/sentence.js";
import { watchSession } from "../shell/session.js";
import { share } from "../share/share-buttons.js";
import { play } from "../shell/doors.js";
import { tabs } from "../shell/tabs.js";
import { tokens } from "../stages/token-chips.js";

/** @typedef {import("../core/state.js").State} State */

/**
 * A view among the stages: drawn while they are seen, and caught up when they are seen again.
 * @param {import("../core/state.js").ViewOf} view
 * @returns {import("../core/state.js").ViewOf}
 */
function onStages(view) {
  return (root, store, slots) => {
    const { update, destroy } = view(root, store, slots);
    /** @type {State | undefined} */
    let drawn;
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

/** @type {Record<string, import("../core/state.js").ViewOf>} */
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
  help: (root, store) => help(root, store),
};

const page = readPage();
watchSession(page);
const brief = new URLSearchParams(location.search).get("t"); // a short link: its question comes first
const away = brief !== null && !keptAs(brief);
const lost = away ? await (await fetched(() => import("../core/address/short-link.js"))).openShared(page) : null;
/** @type {import("../core/state.js").Store} */
const store = createStore(page, { ...initialState(page), lost });
const every = store.get().view.tab === "stages" ? null : await fetched(() => import("../core/all-heads.js"));
startAsking(store); // the question is on its way while the views are built
every?.startEvery(store); // and every head
const slots = makeSlots();
const parts = Object.entries(VIEWS).map(([name, view]) => view(find(`#${name}`), store, slots));
let whole = false;
let filling = false;

/** @param {State} state @param {State} [previous] */
function update(state, previous) {
  for (const part of parts) part.update(state, previous);
  if (!whole && settled(state)) addAround();
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
    const part = view(find(`#${name}`), store, slots);
    parts.push(part);
    part.update(store.get());
  }
}

bindAddress(store);
store.subscribe(update);
store.subscribe(updateHeader);
update(store.get());
updateHeader();
skipInPlace();
startExplaining(store);
startRetrying(store);
document.addEventListener("themechange", () => {
  store.set({ theme: document.documentElement.dataset.theme ?? "light" }, { silent: true });
});
store.subscribe(({ answer }, previous) => {
  if (answer && answer !== previous.answer) fillMenu();
});
