/** A figure of a chapter: views of one question, and the fields named in `knobs`. */

import { setView } from "../core/actions.js";
import { startAsking } from "../core/asking.js";
import { installedOf, stageOf } from "../core/page.js";
import { pictureOf } from "../core/picture.js";
import { setField } from "../core/question-changes.js";
import { selection } from "../core/state.js";
import { offerIndices } from "../lib/count-select.js";
import { h, fill } from "../lib/dom.js";
import { lazyLoad } from "../lib/load.js";
import { isClosed } from "../lib/paint.js";
import { makeSelect } from "../lib/select.js";
import { cellAnnouncer } from "../matrix/announce-cell.js";
import { placeOf, formatCell } from "../matrix/cell-text.js";
import { labelOf } from "../matrix/names.js";
import { flagField, numberField, wordField } from "../question/fields.js";
import { card } from "../stages/card.js";
import { exploreLink } from "./lessons.js";

/**
 * @param {Store} store
 * @param {import("./lessons.js").Figure} figure
 * @returns {import("../question/fields.js").Field}
 */
export function programLink(store, { program }) {
  const root = h("a", { class: "button", download: "", hidden: true }, store.t("live.program"));
  return {
    root,
    update({ answer }) {
      root.hidden = !program || !answer;
      if (answer) root.setAttribute("href", `/api/v1/traces/${answer.reply.trace}/export?format=py`);
    },
  };
}

/**
 * @param {Store} store
 * @returns {import("../question/fields.js").Field}
 */
export function revisionSlider(store) {
  /** @param {State} state */
  const revisionsOf = ({ question }) => installedOf(store.page, question)?.revisions ?? [];
  const turn = () => setField(store, "model.revision", revisionsOf(store.get())[input.valueAsNumber]);
  const input = h("input", { type: "range", min: "0", step: "1", oninput: turn });
  const step = h("output", {});
  return {
    root: h("label", { class: "field" }, h("span", {}, store.t("field.revision")), input, step),
    update(state) {
      const revisions = revisionsOf(state);
      const last = revisions.length - 1;
      const at = revisions.indexOf(state.question.model.revision ?? revisions[last]);
      input.max = String(last);
      input.value = String(at);
      step.textContent = textOf(store, revisions, at);
      input.setAttribute("aria-valuetext", step.textContent);
    },
  };
}

/**
 * @param {Store} store
 * @param {string[]} revisions
 * @param {number} at
 */
function textOf(store, revisions, at) {
  const step = (revisions[at] ?? "").replace(/\D+/g, "");
  return store.t(at === revisions.length - 1 ? "choice.revision.last" : "choice.revision.step", { step });
}

/** @typedef {import("../question/fields.js").Field} Field */
/** @typedef {Record<string, () => Promise<ViewOf>>} Tabs */

/** @type {Record<string, (store: Store, path: string) => Field>} */
const KNOBS = {
  causal: flagField,
  scale: (store, path) => wordField(store, path, ["sqrt_d_k", "none"]),
  temperature: (store, path) => numberField(store, path, { min: 0.1, max: 10, step: 0.1 }),
  window: (store, path) => numberField(store, path, { min: 1, max: 64, optional: true }),
  global_tokens: (store, path) => numberField(store, path, { min: 0, max: 64 }),
  stride: (store, path) => numberField(store, path, { min: 1, max: 64, optional: true }),
  block_size: (store, path) => numberField(store, path, { min: 1, max: 64, optional: true }),
  prefix: (store, path) => numberField(store, path, { min: 0, max: 64 }),
  context_length: (store, path) => numberField(store, path, { min: 1, max: 64, optional: true }),
  "model.seed": (store, path) => numberField(store, path, { min: 0, max: store.page.limits.max_seed }),
  "model.d_k": (store, path) => numberField(store, path, { min: 1, max: 1024, optional: true }),
  "model.d_model": (store, path) => numberField(store, path, { min: 1, max: 1024 }),
  "model.num_heads": (store, path) => numberField(store, path, { min: 1, max: 16 }),
  "model.num_kv_heads": (store, path) => numberField(store, path, { min: 1, max: 16, optional: true }),
  "model.num_layers": (store, path) => numberField(store, path, { min: 1, max: 12 }),
  "model.revision": revisionSlider,
  "model.bias": flagField,
  "model.mlp": flagField,
  "model.output_projection": flagField,
};

const COUNTS = /** @type {Record<string, "num_heads" | "num_layers" | "batch">} */ ({
  head: "num_heads",
  layer: "num_layers",
  batch: "batch",
});

/** @param {HTMLElement} root @param {Store} store @param {import("./lessons.js").Figure} figure @param {Tabs} tabs */
export async function live(root, store, figure, tabs) {
  const room = /** @type {HTMLElement} */ (root.querySelector(".room")) ?? h("div", { class: "room" });
  const languages = root.querySelector(".languages"); // choice of the program's language
  const readout = h("p", { class: "reading" });
  const open = h("a", { class: "button" }, store.t("live.open"));
  const voice = h("div", { class: "hidden" });
  const trouble = h("p", { class: "error", role: "status" });
  const knobs = figure.knobs.map((path) => knob(store, path));
  const download = programLink(store, figure);
  const fields = knobs.map((each) => each.root);
  const foot = h("div", { class: "foot" }, readout, download.root, open);
  fill(root, knobs.length > 0 && h("div", { class: "knobs" }, fields), trouble, languages, room, foot, voice);
  const parts = [...(await picturesOf(room, store, figure, tabs)), cellAnnouncer(voice, store)];

  /** @param {State} state @param {State} [previous] */
  function update(state, previous) {
    for (const part of parts) part.update(state, previous);
    for (const each of [...knobs, download]) each.update(state);
    open.setAttribute("href", exploreLink(state, store.page));
    readout.textContent = figure.view === "lab" ? "" : readingOf(store, state);
    // Show only errors that no field shows.
    const shownByField = state.problem?.errors.some(({ at }) => figure.knobs.includes(at ?? ""));
    trouble.textContent =
      state.status === "failed" && !shownByField ? state.problem?.message || store.t("problem.offline") : "";
    root.dataset.status = state.status;
    root.toggleAttribute("data-answered", Boolean(state.answer));
  }

  store.subscribe(update);
  startAsking(store);
  update(store.get());
}

/**
 * @param {HTMLElement} room
 * @param {Store} store
 * @param {import("./lessons.js").Figure} figure
 * @param {Tabs} tabs
 */
async function picturesOf(room, store, { view, stages, question }, tabs) {
  /** @type {Part[]} */
  const parts = [];
  if (view !== "cards") {
    const panel = h("div", { class: "panel" });
    room.append(panel);
    parts.push((await lazyLoad(tabs[view]))(panel, store));
  }
  if (stages.length === 0) return parts;
  const cards = h("div", { class: "cards" });
  cards.classList.toggle("small", question.x?.length <= 3);
  const drawn = stages.map((name) => {
    const article = h("article");
    (room.querySelector(`[data-beside="${name}"]`) ?? cards).append(article);
    return card(article, store, stageOf(store.page, name));
  });
  if (cards.firstChild) room.append(cards); // cards of a program are already beside its lines
  return [...parts, ...drawn];
}

/**
 * @param {Store} store
 * @param {string} path
 */
function knob(store, path) {
  if (path in COUNTS) return countKnob(store, path);
  const field = KNOBS[path];
  if (field) return field(store, path);
  const words = store.page.choices[path.split(".").at(-1) ?? path];
  // No field of a figure gives a decoder its context.
  const lacks = path === "model.block" && store.get().question.context === null ? "decoder" : "";
  const offered = words.filter((word) => word !== lacks);
  return wordField(store, path, offered);
}

/**
 * @param {Store} store
 * @param {string} name
 * @returns {Field}
 */
function countKnob(store, name) {
  const select = makeSelect((index) => setView(store, { [name]: Number(index) }));
  const root = h("label", { class: "field" }, h("span", {}, store.t(`live.${name}`)), select);
  return {
    root,
    update({ answer, view }) {
      const size = answer?.reply.shape[COUNTS[name]] ?? 1;
      offerIndices(select, size, view[/** @type {"head" | "layer" | "batch"} */ (name)], String);
      root.hidden = size < 2;
    },
  };
}

/** @param {Store} store @param {State} state */
function readingOf(store, state) {
  const cell = state.hover ?? state.view.cell;
  if (!cell || !state.answer) return store.t("live.hint");
  const stage = stageOf(store.page, cell.stage);
  const picture = pictureOf(store.page, state.answer, stage, selection(state));
  if (!picture || cell.row >= picture.rows || cell.col >= picture.cols) return store.t("live.hint");
  const at = cell.row * picture.cols + cell.col;
  const value = isClosed(picture, cell.row, cell.col) ? null : picture.values[at];
  const number = value === null ? store.t("legend.masked") : formatCell(store, stage, value, state.view.precision);
  return `${labelOf(store, cell.stage)}, ${placeOf(store, state, cell)}: ${number}`;
}
