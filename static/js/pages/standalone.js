/** A page in one file, which shows a trace and sends no requests. */

import { Answer } from "../core/answer.js";
import { readPage } from "../core/page.js";
import { asQuestion } from "../core/question.js";
import { atLayer, initialState } from "../core/state.js";
import { find } from "../lib/dom.js";
import { createStore } from "../lib/store.js";
import { heads } from "../stages/head-selector.js";
import { large } from "../stages/large-stage.js";
import { pipeline } from "../stages/pipeline.js";
import { createInput } from "../matrix/cell-input.js";
import { addInput } from "../matrix/heatmap.js";
import { cellAnnouncer } from "../matrix/announce-cell.js";
import { pickable } from "../stages/pickable-chips.js";
import { chips } from "../stages/token-chips.js";

/** @typedef {Page & {only: {layers: number[] | null, heads: number[] | null}}} OwnPage */

const text = (/** @type {string} */ selector) => find(selector).textContent ?? "";
const page = /** @type {OwnPage} */ (readPage());
const { only } = page;
const { layer = 0, head = 0 } = document.documentElement.dataset; // set by "Share & export"
const bytes = Uint8Array.from(atob(text("#numbers")), (letter) => letter.charCodeAt(0));
const answer = new Answer(bytes.buffer, only.heads);
const start = initialState(page);
/** @type {State} */
const state = {
  ...start,
  question: asQuestion(page, JSON.parse(text("#question"))),
  view: { ...start.view, layer: only.layers?.[0] ?? Number(layer), head: only.heads?.[0] ?? Number(head) },
  answer,
  status: "ready",
};
/** @type {Store} */
const store = createStore(/** @type {Page} */ (page), state, (now) => atLayer(now, now.view));
addInput(createInput);
const crosses = answer.reply.context_lengths !== null; // some layer attends to a second text
/** @type {Record<string, ViewOf>} */
const views = { pipeline, large, spoken: cellAnnouncer, ...(only.layers || only.heads ? {} : { heads }) };
const tokens = (/** @type {string} */ name, /** @type {Axis} */ axis) => {
  const root = find(name);
  return [chips(root, store, axis), pickable(root, store, axis)];
};
const parts = [
  ...tokens("#tokens", "query"),
  ...(crosses ? tokens("#context", "key") : []),
  ...Object.entries(views).map(([name, view]) => view(find(`#${name}`), store)),
];

/** @type {Part["update"]} */
function update(state, previous) {
  for (const part of parts) part.update(state, previous);
}

store.subscribe(update);
update(store.get());
document.addEventListener("themechange", () => {
  store.set({ theme: document.documentElement.dataset.theme ?? "light" });
});
