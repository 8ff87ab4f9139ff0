import { setQuestion, setField } from "../core/question-changes.js";
import { paintAllClosed, countOf, isBlocked, paintCells, stroke, maskView } from "./mask.js";
import { encodes, wholeOf } from "../core/answer.js";
import { stageOf } from "../core/page.js";
import { pictureOf } from "../core/picture.js";
import { ONE_TEXT, isCross } from "../core/question.js";
import { selection } from "../core/state.js";
import { fill, h } from "../lib/dom.js";
import { makeSelect, setOptions } from "../lib/select.js";
import { isClosed } from "../lib/paint.js";
import { cellUnder } from "../matrix/pointer.js";

const STAGE = "masked_scores";
const PLOTS = `[data-stage="${STAGE}"] .plot, [data-openness] .plot, #large .plot`;
const SCOPES = /** @type {const} */ (["all", "text", "head"]);

/** @type {import("./apply-edit.js").BenchView} */
export const mask = (root, bench) => new Brush(root, bench);

/**
 * Fixes the height of the sentence during a stroke: its caption changes with the cell pointed at, and would move the
 * pictures from under the pointer.
 * @param {boolean} held
 */
function holdSentence(held) {
  const looks = document.getElementById("looks");
  if (looks) looks.style.height = held ? `${looks.offsetHeight}px` : "";
}

class Brush {
  /** @param {HTMLElement} root @param {import("./apply-edit.js").Bench} bench */
  constructor(root, { store, answered }) {
    const { t } = store;
    this.root = root;
    this.store = store;
    this.answered = answered;
    const { question } = store.get();
    /** @type {Question | null} question of the last answer */
    this.answeredOf = answered.of(question) ? question : null;
    /** @type {{plot: Element, close: boolean, last: RowCol, begun: boolean} | null} */
    this.stroke = null;
    this.said = h("p", { role: "status" });
    this.count = h("span");
    /** @type {import("./mask.js").Scope} */
    this.scope = "all";
    this.scopes = makeSelect((scope) => this.choose(/** @type {any} */ (scope)));
    const scope = h("label", { class: "field" }, h("span", {}, t("change.paint.for")), this.scopes);
    const plate = h("div", { "data-openness": "" });
    this.openness = maskView(plate, store);
    this.clear = h("button", { type: "button", class: "button", onclick: () => this.openAll() }, t("change.open_all"));
    this.all = h("button", { type: "button", class: "button", onclick: () => this.paintAll() }, t("change.paint_all"));
    root.classList.add("openness");
    const about = h("p", { class: "muted" }, t("change.mask_about"), " ", t("change.openness"));
    const choices = h("div", { class: "choices" }, scope, this.count, this.clear, this.all);
    fill(root, h("div", {}, about, choices, this.said), plate);
    // Listen while capturing, else the picture would pin the cell.
    this.heard = /** @type {[string, (event: any) => void][]} */ ([
      ["pointerdown", (event) => this.press(event)],
      ["pointermove", (event) => this.drag(event)],
      ["pointerup", () => this.lift()],
      ["pointercancel", () => this.lift()],
      ["click", (event) => event.detail && this.plotOf(event) && event.stopPropagation()],
      ["keydown", (event) => this.key(event)],
    ]);
    for (const [name, listener] of this.heard) document.addEventListener(name, listener, true);
  }

  /** @param {Event} event */
  plotOf({ target }) {
    const { view, answer } = this.store.get();
    const closes = view.change === "mask" && answer && !encodes(answer.reply, view.layer); // encoder layers take no such mask
    const plot = closes && target instanceof Element ? target.closest(PLOTS) : null;
    return plot?.closest("#large") && view.stage !== STAGE ? null : plot;
  }

  /** @param {PointerEvent} event @param {Element} plot @returns {RowCol | null} */
  cellAt(event, plot) {
    const [picture, canvas] = [this.picture(), plot.querySelector("canvas")];
    return picture && canvas && cellUnder(event, canvas, picture);
  }

  picture() {
    const { page } = this.store;
    const state = this.store.get();
    return state.answer && pictureOf(page, state.answer, stageOf(page, STAGE), selection(state));
  }

  /** @returns {import("./mask.js").Sheet} */
  sheet() {
    const { answer, view } = this.store.get();
    if (!answer) return null;
    const { batch: texts, num_heads: heads, n: rows, m: cols } = answer.reply.shape;
    const asks = wholeOf(answer.reply).attends_to && answer.reply.context_lengths;
    if (this.scope === "all" && !asks) return null;
    const field = asks ? "context_mask" : "mask";
    return { field, scope: this.scope, batch: view.batch, head: view.head, texts, heads, rows, cols };
  }

  openAll() {
    const sheet = this.sheet();
    if (sheet) setField(this.store, sheet.field, null);
    else setField(this.store, "blocked", []);
  }

  /** @param {import("./mask.js").Scope} scope */
  choose(scope) {
    this.scope = scope;
    this.say("");
    this.update(this.store.get());
  }

  /** @param {State} state */
  offerScopes({ answer }) {
    const { batch = 1, num_heads = 1 } = answer?.reply.shape ?? {};
    const there = { all: true, text: batch > 1, head: num_heads > 1 };
    const scopes = SCOPES.filter((scope) => there[scope]);
    if (!scopes.includes(this.scope)) this.scope = "all";
    setOptions(this.scopes, scopes, this.scope, (scope) => this.store.t(`change.paint.${scope}`));
    /** @type {HTMLElement} */ (this.scopes.parentElement).hidden = scopes.length < 2;
  }

  /** Whether another mask or padding closes the cell. @param {RowCol} at */
  isClosedOtherwise(at) {
    const picture = this.picture();
    return Boolean(
      picture && this.answeredOf && isClosed(picture, at.row, at.col) && !isBlocked(this.answeredOf, at, this.sheet()),
    );
  }

  /** @param {PointerEvent} event */
  press(event) {
    const plot = event.button === 0 ? this.plotOf(event) : null;
    const at = plot && this.cellAt(event, plot);
    if (!plot || !at) return;
    event.preventDefault();
    holdSentence(true);
    this.begin(plot, at);
  }

  lift() {
    if (this.stroke) holdSentence(false);
    this.stroke = null;
  }

  /** Begins a stroke; true if it closes cells. @param {Element} plot @param {RowCol} at */
  begin(plot, at) {
    const close = !isBlocked(this.store.get().question, at, this.sheet());
    this.stroke = { plot, close, last: at, begun: false };
    this.paint([at]);
    return close;
  }

  /** @param {PointerEvent} event */
  drag(event) {
    const at = this.stroke && this.cellAt(event, this.stroke.plot);
    if (!this.stroke || !at || (at.row === this.stroke.last.row && at.col === this.stroke.last.col)) return;
    this.paint(stroke(this.stroke.last, at).slice(1));
    if (this.stroke) this.stroke.last = at;
  }

  /** A stroke is one step of undo. @param {RowCol[]} cells */
  paint(cells) {
    const { stroke, store } = this;
    const { question } = store.get();
    if (!stroke) return;
    const sheet = this.sheet();
    if (sheet && sheet.texts * sheet.heads * sheet.rows * sheet.cols > store.page.limits.max_body_numbers)
      return this.say("change.too_many_cells");
    const own = cells.filter((at) => !this.isClosedOtherwise(at));
    const next = paintCells(question, own, stroke.close, sheet);
    this.say(own.length ? "" : "change.closed_otherwise");
    if (countOf(next, sheet) === countOf(question, sheet)) return;
    if (next.blocked.length > store.page.limits.max_blocked) return this.say("change.too_many_cells");
    setQuestion(store, next, { replace: stroke.begun });
    stroke.begun = true;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const plot = event.key === " " ? this.plotOf(event) : null;
    const { hover, view } = this.store.get();
    const at = hover?.stage === STAGE ? hover : view.cell?.stage === STAGE ? view.cell : { row: 0, col: 0 };
    if (!plot) return;
    event.preventDefault();
    event.stopPropagation();
    const close = this.begin(plot, at);
    if (!this.said.textContent) this.say(close ? "change.cell_closed" : "change.cell_opened");
    this.stroke = null;
  }

  /** Replaces all masks by painted cells, which the brush can open. */
  async paintAll() {
    const { store, answered } = this;
    const answer = await answered.waitForAnswer();
    const picture = this.picture();
    if (!answer || !picture) return;
    const real = { rows: picture.realRows ?? picture.rows, cols: picture.realCols ?? picture.cols };
    const next = paintAllClosed(store.get().question, picture, {
      rows: Math.min(real.rows, picture.rows),
      cols: Math.min(real.cols, picture.cols),
    });
    if (next.blocked.length > store.page.limits.max_blocked) this.say("change.too_many_cells");
    else setQuestion(store, next);
  }

  /** @param {string} key of a message, or "" */
  say(key) {
    this.said.textContent = key && this.store.t(key);
  }

  /** @param {State} state @param {State} [previous] */
  update(state, previous) {
    const { question, view, answer } = state;
    this.openness.update(state, previous);
    if (answer !== previous?.answer && this.answered.of(question)) this.answeredOf = question;
    if (question === previous?.question && view === previous?.view && answer === previous?.answer) return;
    this.offerScopes(state);
    const sheet = this.sheet();
    const n = countOf(question, sheet);
    this.count.textContent = this.store.t("blocked.count", { n });
    this.clear.disabled = n === 0;
    const other = Object.entries(ONE_TEXT).some(
      ([name, open]) => question[/** @type {keyof ONE_TEXT} */ (name)] !== open,
    );
    this.all.hidden = !other || Boolean(sheet) || isCross(question);
  }

  destroy() {
    this.lift();
    this.openness.destroy();
    for (const [name, listener] of this.heard) document.removeEventListener(name, listener, true);
    fill(this.root);
  }
}
