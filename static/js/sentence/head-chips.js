import { setView } from "../core/actions.js";
import { encodes } from "../core/answer.js";
import { namingMetric, namingMetrics, nameTexts, strongestOf } from "../core/head-names.js";
import { isDropped } from "../core/dropped-head.js";
import { answerKey, fetchPart, keyedRequest } from "../core/traces.js";
import { mayPrefetch } from "../core/state.js";
import { mergingOf } from "../core/word-lens.js";
import { fill, h } from "../lib/dom.js";
import { placeAfter } from "../lib/step-keys.js";
import { headName } from "../matrix/names.js";

const MANY = 40;

export class HeadChips {
  /** @type {{place: Place, root: HTMLElement, name: HTMLElement}[]} */
  chips = [];
  drawn = "";
  opensStrongest = false; // whether an address without a head opens the strongest head
  opening = false; // whether to open the strongest head once metrics arrive

  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    this.store = store;
    this.root = root;
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", store.t("sentence.heads"));
    this.root.addEventListener("keydown", (event) => this.onKey(event));
    this.names = keyedRequest(
      (/** @type {{heads: Metrics[]}} */ { heads }) => this.name(heads),
      () => this.name([]),
      root,
    );
  }

  /** @type {Part["update"]} with an answer */
  update(state, previous) {
    const { answer, question, view } = state;
    const reply = /** @type {Answer} */ (answer).reply;
    const { num_layers, num_heads } = reply.shape;
    const shown = `${num_layers} ${num_heads} ${reply.attends_to} ${reply.encoder_layers}`;
    if (this.drawn !== shown) {
      this.build(reply);
      this.opensStrongest = this.isMany && question.model.source !== "seeded"; // heads with random weights show nothing
      const chosen = view.layer > 0 || view.head > 0 || view.chosen || view.cell;
      this.opening = this.opensStrongest && !chosen;
    }
    this.drawn = shown;
    if (previous && question === previous.question) this.choose(view, previous.view);
    if (view !== previous?.view || question !== previous.question || answer !== previous.answer) this.mark(state);
    if (mayPrefetch(state)) this.askNames(state);
  }

  /** @param {State} state */
  askNames(state) {
    const of = answerKey(state);
    const query = { batch: state.view.batch, ...mergingOf(state) };
    this.names(`${of} ${state.attempt} ${JSON.stringify(query)}`, () => fetchPart(state, "heads", query), of);
  }

  /** Records that the first head was chosen. @param {State["view"]} view @param {State["view"]} before */
  choose(view, before) {
    const first = view.layer === 0 && view.head === 0;
    const moved = before.layer > 0 || before.head > 0;
    if (this.opensStrongest && first && moved && !view.chosen) setView(this.store, { chosen: true }, { replace: true });
  }

  get isMany() {
    return this.chips.length > MANY;
  }

  /** @param {Reply} reply */
  build(reply) {
    const { num_layers: layers, num_heads: heads } = reply.shape;
    const kind = (/** @type {number} */ layer) => {
      if (encodes(reply, layer)) return "heads.layer_encoder";
      return reply.attends_to?.[layer] === "context" ? "heads.layer_context" : "heads.layer";
    };
    const called = (/** @type {number} */ layer) => this.store.t(kind(layer), { layer });
    this.chips = [];
    this.root.hidden = layers * heads < 2;
    const own = (/** @type {number} */ layer) => Array.from({ length: heads }, (_, head) => this.chip({ layer, head }));
    const rows = Array.from({ length: layers }, (_, layer) =>
      h("div", { class: "layer" }, h("span", {}, called(layer)), own(layer)),
    );
    this.root.classList.toggle("many", this.isMany);
    this.root.style.setProperty("--heads", String(heads));
    const columns = Array.from({ length: heads }, (_, head) => h("i", {}, `H${head}`));
    fill(this.root, this.isMany && h("div", { class: "columns-of", "aria-hidden": "true" }, h("span"), columns), rows);
  }

  /** @param {Place} place */
  chip(place) {
    const name = h("span", {});
    const press = () => setView(this.store, { ...place, chosen: this.opensStrongest || undefined });
    const attributes = { type: "button", class: "head-chip", onclick: press, tabindex: -1 };
    const root = h("button", attributes, h("b", {}, headName(place)), name);
    this.chips.push({ place, root, name });
    return root;
  }

  /** @param {State} state */
  mark({ question, view }) {
    const { t } = this.store;
    for (const { place, root } of this.chips) {
      const pressed = place.layer === view.layer && place.head === view.head;
      const gone = isDropped(question, place);
      root.setAttribute("aria-pressed", String(pressed));
      root.tabIndex = pressed ? 0 : -1;
      root.classList.toggle("gone", gone);
      root.setAttribute("aria-description", gone ? t("heads.dropped") : "");
      if (pressed && this.isMany) this.reveal(root);
    }
  }

  /** Scrolls the grid, not the page, to the chip and the row above it. @param {HTMLElement} chip */
  reveal(chip) {
    const { root } = this;
    const top = chip.offsetTop; // in the grid
    const [row, seen] = [2 * chip.offsetHeight, root.scrollTop];
    if (top - row < seen || top + row > seen + root.clientHeight) root.scrollTop = top - row;
  }

  /** @param {Metrics[]} metrics */
  name(metrics) {
    const { page, t } = this.store;
    for (const { place, root, name } of this.chips) {
      const own = metrics.find(({ layer, head }) => layer === place.layer && head === place.head);
      const { text, about } = nameTexts(this.store, own);
      name.textContent = this.isMany ? text.replace(/ [^ ]*$/, "") : text;
      if (this.isMany) root.style.setProperty("--strength", `${Math.round(100 * strengthOf(page, own))}%`);
      const measured = about || (own ? t("sentence.unnamed") : "");
      root.title = [`${t("heads.one", { ...place })}.`, this.isMany && text && `${text}.`, measured]
        .filter(Boolean)
        .join(" ");
    }
    this.open(metrics);
  }

  /** Opens the strongest head: the first of many seldom shows anything. @param {Metrics[]} metrics */
  open(metrics) {
    const { opening, store } = this;
    const { layer, head, chosen } = store.get().view;
    this.opening = false;
    const found = opening && layer === 0 && head === 0 && !chosen && strongestOf(store.page, metrics);
    if (found) setView(store, { layer: found.layer, head: found.head }, { replace: true });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const at = this.chips.findIndex(({ root }) => root === event.target);
    const to = at < 0 ? null : placeAfter(event, at, this.chips.length);
    if (to === null) return;
    this.chips[to].root.focus();
    setView(this.store, this.chips[to].place, { replace: true });
    event.preventDefault();
    event.stopPropagation();
  }
}

/** Value of the naming metric, else the largest; 0 to 1. @param {Page} page @param {Metrics | undefined} own */
function strengthOf(page, own) {
  const figures = namingMetrics(page).map(({ name }) => own?.[name] ?? 0);
  return namingMetric(page, own)?.value ?? Math.max(...figures);
}
