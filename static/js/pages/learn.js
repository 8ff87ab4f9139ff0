/** Page of a chapter. Figures with `own` show the reader's sentence. */

import { stateOf } from "../learn/lessons.js";
import { readPage } from "../core/page.js";
import { find, h } from "../lib/dom.js";
import { lazyLoad } from "../lib/load.js";
import { createInput } from "../matrix/cell-input.js";
import { addInput } from "../matrix/heatmap.js";
import { createStore } from "../lib/store.js";
import { atLayer } from "../core/state.js";
import { updateHeader } from "../shell/header.js";
import { lightWords, holdLinkedFigure, drawOnPaper } from "../learn/chapter-figures.js";
import { live } from "../learn/live-figure.js";
import { practice } from "../learn/exercises.js";
import { offerToMarkRead } from "../learn/solved.js";
import { watchSession } from "../shell/session.js";
import { TAB_SCRIPTS } from "../shell/tabs.js";

/** @typedef {Record<string, import("../learn/lessons.js").Figure>} Figures */
/** @typedef {Page & {figures: Figures, chapter: string, sentence: string}} ChapterPage */

const PAUSE = 300; // ms without typing before requests

const page = /** @type {ChapterPage} */ (readPage());
watchSession(page);
addInput(createInput);
let text = new URL(location.href).searchParams.get("text") || page.sentence;
/** @type {Map<string, Store>} stores of drawn figures */
const stores = new Map();

/** @param {HTMLElement} root @param {string} name */
function draw(root, name) {
  const figure = page.figures[name];
  /** @type {Store} */
  const store = createStore(page, stateOf(page, figure, text), (state) => atLayer(state, state.view));
  stores.set(name, store);
  live(root, store, figure, { ...TAB_SCRIPTS, training: async () => (await import("../learn/training.js")).training });
  return store;
}

// Draw figures shortly before they become visible.
const near = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || !(target instanceof HTMLElement)) continue;
      near.unobserve(target);
      draw(target, target.dataset.figure ?? "");
    }
  },
  { rootMargin: "400px" },
);
const figures = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-figure]"));
for (const root of figures) near.observe(root);

/** @type {Store} */
const shared = createStore(
  page,
  stateOf(
    page,
    { name: "", question: {}, stages: [], view: "cards", look: {}, knobs: [], own: true, program: false },
    text,
  ),
);
let timer = 0;
const box = h("textarea", { rows: 2, spellcheck: "false", id: "own-sentence", oninput: () => type(box.value) });
box.value = text;

function askForSentence() {
  const own = Object.values(page.figures).map((figure) => figure.own);
  if (!own.includes(true)) return;
  const label = shared.t(own.includes(false) ? "live.sentence_some" : "live.sentence");
  find("#own").append(h("label", { for: "own-sentence" }, label), box);
}

/** @param {string} typed */
function type(typed) {
  clearTimeout(timer);
  timer = window.setTimeout(() => setSentence(typed.trim() || page.sentence), PAUSE);
}

/** @param {string} next */
function setSentence(next) {
  text = next;
  const url = new URL(location.href); // read now, because exercises change the address too
  if (text === page.sentence) url.searchParams.delete("text");
  else url.searchParams.set("text", text);
  history.replaceState(null, "", url.pathname + url.search + url.hash);
  for (const [name, store] of stores) {
    const { question, view } = store.get();
    if (page.figures[name].own)
      store.set({ question: { ...question, text }, view: { ...view, cell: null } }, { silent: true });
  }
  updateChapterLinks();
  updateHeader();
}

function updateChapterLinks() {
  const isOwn = new URL(location.href).searchParams.has("text");
  for (const link of document.querySelectorAll("a[data-carry]")) {
    const target = new URL(/** @type {HTMLAnchorElement} */ (link).href);
    if (isOwn) target.searchParams.set("text", text);
    else target.searchParams.delete("text");
    link.setAttribute("href", target.pathname + target.search);
  }
}

function showPlace() {
  const here = /** @type {HTMLElement | null} */ (document.querySelector(".contents [aria-current]"));
  const list = here?.closest("nav");
  if (here && list) list.scrollTop = here.offsetTop - list.clientHeight / 2;
}

askForSentence();
updateChapterLinks();
showPlace();
holdLinkedFigure();
/** @param {HTMLElement} root */
function storeOf(root) {
  near.unobserve(root);
  return stores.get(root.dataset.figure ?? "") ?? draw(root, root.dataset.figure ?? "");
}
lightWords({ figures: page.figures, storeOf });
drawOnPaper(figures, storeOf);
if (document.querySelector(".line-form"))
  void lazyLoad(() => import("../learn/write-line.js")).then(({ startLines }) => startLines(shared));
practice(find("#practice"), shared, page.chapter, updateHeader);
offerToMarkRead(page.chapter);
updateHeader();
addEventListener("hashchange", updateHeader);
document.addEventListener("themechange", () => {
  const theme = document.documentElement.dataset.theme ?? "light";
  for (const store of stores.values()) store.set({ theme }, { silent: true });
});
