import { chooseSource, kindOf } from "../core/choose-source.js";
import { labelsOf, wholeOf } from "../core/answer.js";
import { Problem } from "../core/api.js";
import { positionOf, predicts } from "../core/position.js";
import { predictionQuery, predictsMasked } from "../core/predictions.js";
import { answerKey, fetchPart, keyedRequest } from "../core/traces.js";
import { refusal } from "../core/refusal-words.js";
import { isLong } from "../core/state.js";
import { fill, h } from "../lib/dom.js";
import { formatFixed } from "../lib/fixed-decimals.js";
import { percent } from "../lib/percent.js";
import { nameOf } from "../matrix/names.js";
import { AblationRun } from "./ablation-run.js";
import { AblationList } from "./ablations.js";
import { logitParts } from "./logit-parts.js";
import { pieceChoice, pieceName } from "./pieces.js";

/** @typedef {{state: State, query: Record<string, number>, trace: string, contributions: Replies.Contributions | null, said: Replies.Predictions, metrics: Metrics[]}} Found */

const SUMS = ["residual", "pre_norm"]; // blocks that add to their input

/** @type {ViewOf} */
export const worth = (root, store) => new WorthTab(root, store);

class WorthTab {
  /** @type {Found | null} */
  found = null;
  /** @type {State | undefined} */
  drawn;
  /** @type {string | undefined} default token */
  usual;

  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    this.root = root;
    this.store = store;
    this.title = h("p", { class: "about" });
    this.trouble = h("p", { class: "trouble", role: "status" });
    const turn = h("section", { class: "card" });
    this.parts = h("section", { class: "card" });
    this.cards = h("div", { class: "columns", hidden: true }, turn, this.parts);
    root.classList.add("theory", "worth");
    fill(root, this.title, this.trouble, this.cards);
    this.run = new AblationRun(() => this.showDropped());
    this.turn = new AblationList(turn, store, { stop: () => this.run.stop(), again: () => this.startAgain() });
    this.want = keyedRequest(
      (/** @type {Found} */ found) => this.take(found),
      (problem) => this.close(refusal(store, problem)),
      this.title,
      this.cards,
    );
  }

  /** @param {State} state */
  update(state) {
    if (this.run.found && this.run.found.trace !== state.answer?.reply.trace) this.run.reset();
    if (state.view.tab !== "worth" || !state.answer) return;
    if (!predicts(this.store.page, state)) return this.drawn === state ? undefined : this.offerPredictor(state);
    if (isLong(state)) return;
    if (state.status !== "ready") return;
    const query = { position: positionOf(this.store.page, state), batch: state.view.batch };
    const { trace } = state.answer.reply;
    const { piece } = state.view;
    const key = [trace, ...Object.values(query), state.attempt, piece].join(" ");
    this.want(key, () => this.ask(state, query), answerKey(state));
    if (this.found?.trace === trace && state.view !== this.drawn?.view) this.draw(state);
    this.drawn = state;
  }

  /** @param {State} state @param {{position: number, batch: number}} query @returns {Promise<Found>} */
  async ask(state, query) {
    const { batch, position } = query;
    const [contributions, said, { heads: metrics }] = await Promise.all([
      contributionsTo(state, query),
      fetchPart(state, "predictions", predictionQuery(position, batch)),
      fetchPart(state, "heads", { batch }),
    ]);
    return { state, query, trace: state.answer?.reply.trace ?? "", contributions, said, metrics };
  }

  /** @param {Found} found */
  take(found) {
    this.found = found;
    this.run.start(found.state, found.query);
    this.draw(this.store.get());
  }

  startAgain() {
    this.run.reset();
    if (this.found) this.take(this.found);
  }

  /** @param {State} state */
  draw(state) {
    const { found, store } = this;
    if (!found || !state.answer) return;
    this.drawn = state;
    fill(this.trouble);
    this.cards.hidden = false;
    this.usual = this.run.found?.about?.token;
    this.showDropped();
    const { contributions, said } = found;
    if (!contributions) return fill(this.parts, h("h3", {}, store.t("worth.sum")), h("p", {}, store.t("worth.no_sum")));
    const choice = pieceChoice(store, contributions.token, this.usual ?? contributions.token, said);
    const held = this.parts.contains(document.activeElement);
    logitParts(this.parts, store, state, contributions, choice);
    if (held) choice.focus();
  }

  /** Shows the heads dropped so far. The first event names the token. */
  showDropped() {
    const state = this.store.get();
    const { found: dropped } = this.run;
    if (!dropped || !this.found || !state.answer) return;
    this.title.textContent = dropped.about ? this.say(state, dropped.about) : "";
    this.turn.show(state, dropped, this.found.metrics);
    if (dropped.about && dropped.about.token !== this.usual) {
      this.usual = dropped.about.token;
      this.draw(state);
    }
  }

  /** @param {State} state @param {NonNullable<import("./ablation-run.js").Found["about"]>} about */
  say(state, { position, token, log_probability: log }) {
    const reply = wholeOf(/** @type {NonNullable<State["answer"]>} */ (state.answer).reply);
    const came =
      position + 1 < reply.lengths[state.view.batch] && labelsOf(reply, state.view.batch).length > position + 1;
    const key = predictsMasked(this.store.page, state) ? "worth.masked" : came ? "worth.came" : "worth.likeliest";
    const after = nameOf(/** @type {any} */ ({ ...state, answer: { reply } }), "query", position);
    const values = { after, token: pieceName(this.store.t, token), log: formatFixed(log, 2) };
    return this.store.t(key, { ...values, p: percent(Math.exp(log)) });
  }

  /** @param {Child | Child[]} why @param {...Child} ways */
  close(why, ...ways) {
    this.found = null;
    this.run.reset();
    this.title.textContent = "";
    this.cards.hidden = true;
    fill(this.trouble, why, " ", ways);
  }

  /** @param {State} state */
  offerPredictor(state) {
    const { page, t } = this.store;
    this.drawn = state;
    const writers = page.installed.filter((each) => each.predicts && each.language);
    const other = writers.find(({ language }) => language === page.lang) ?? writers[0];
    const name = other?.name ?? "";
    const press = () => chooseSource(this.store, kindOf({ source: "installed", name }));
    this.close(t("worth.silent"), other && h("button", { class: "button", onclick: press }, t("worth.ask", { name })));
  }

  destroy() {
    this.run.reset();
    this.root.replaceChildren();
  }
}

/**
 * Null if blocks do not add to their input, because the logit is then no sum.
 * @param {State} state @param {{position: number, batch: number}} query
 * @returns {Promise<Replies.Contributions | null>}
 */
async function contributionsTo(state, query) {
  const { piece } = state.view;
  if (!SUMS.some((block) => state.answer?.reply.holds.includes(block))) return null;
  if (piece === null) return fetchPart(state, "contributions", query);
  try {
    return await fetchPart(state, "contributions", { ...query, token: piece });
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 422) throw error;
    return fetchPart(state, "contributions", query);
  }
}
