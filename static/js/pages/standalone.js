/** A trace in a file of its own: its numbers come with the page, and nobody is asked. */

import { Answer } from "../data/answer.js";
import { readPage } from "../data/page.js";
import { merged } from "../data/question.js";
import { initialState } from "../data/state.js";
import { find } from "../lib/dom.js";
import { createStore } from "../lib/store.js";
import { heads } from "../views/heads.js";
import { large } from "../views/large.js";
import { pipeline } from "../views/pipeline.js";
import { spoken } from "../views/spoken.js";
import { chips, tokens } from "../views/tokens.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/page.js").Page & {only: {layers: number[] | null, heads: number[] | null}}} OwnPage */

const text = (/** @type {string} */ selector) => find(selector).textContent ?? "";
const page = /** @type {OwnPage} */ (readPage());
const { only } = page;
const bytes = Uint8Array.from(atob(text("#numbers")), (letter) => letter.charCodeAt(0));
const answer = new Answer(bytes.buffer, only.heads);
const start = initialState(page);
/** @type {State} */
const state = {
  ...start,
  question: merged(page, JSON.parse(text("#question"))),
  view: { ...start.view, layer: only.layers?.[0] ?? 0, head: only.heads?.[0] ?? 0 },
  answer,
  status: "ready",
};
/** @type {import("../data/state.js").Store} */
const store = createStore(/** @type {import("../data/page.js").Page} */ (page), state);
/** @type {import("../data/state.js").ViewOf} */
const context = (root, its) => chips(root, its, "key");
const views = { tokens, ...(answer.reply.context_lengths ? { context } : {}), pipeline, large, spoken, ...(only.layers || only.heads ? {} : { heads }) };
const parts = Object.entries(views).map(([name, view]) => view(find(`#${name}`), store));

/** @param {State} _ @param {State} previous */
function update(_, previous) {
  for (const part of parts) part.update(store.get(), previous);
}

store.subscribe(update);
update(store.get(), /** @type {State} */ ({ view: {} }));
document.addEventListener("themechange", () => {
  store.set({ theme: document.documentElement.dataset.theme ?? "light" });
});
