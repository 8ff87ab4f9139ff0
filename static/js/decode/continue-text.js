import { setView } from "../core/actions.js";
import { installedOf } from "../core/page.js";
import { partsOf } from "../core/pieces.js";
import { predicts } from "../core/position.js";
import { predictsMasked } from "../core/predictions.js";
import { setQuestion } from "../core/question-changes.js";
import { bodyOf, asQuestion } from "../core/question.js";
import { refusalWords } from "../core/refusal-words.js";
import { isAsking } from "../core/state.js";
import { keyedRequest, continuation, questionOf } from "../core/traces.js";
import { h, fill } from "../lib/dom.js";
import { percent } from "../lib/percent.js";
import { textColor } from "../lib/text-color.js";
import { colorsOf } from "../matrix/colors.js";

let count = 0;

export class WritingField {
  /**
   * @param {Store["t"]} t @param {"tokens" | "temperature" | "seed" | "top_k"} name
   * @param {{value?: number, min: number, step: number | "any", placeholder?: string}} how
   */
  constructor(t, name, { value, min, step, placeholder = "" }) {
    const id = `writing-${count++}`;
    this.input = h("input", { type: "number", id, min, step, value, "aria-describedby": `${id}-error`, placeholder });
    this.error = h("span", { class: "error", role: "alert", id: `${id}-error` });
    const about = { for: id, title: t(`decode.write.about.${name}`) };
    const label = h("label", about, h("span", {}, t(`decode.write.${name}`)));
    this.root = h("div", { class: "field" }, label, this.input, this.error);
  }

  get number() {
    return Number.isNaN(this.input.valueAsNumber) ? null : this.input.valueAsNumber;
  }

  /** @param {string} why empty if valid */
  complain(why) {
    this.error.textContent = why;
    if (why) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
  }
}

/** @param {Store} store @param {State} state @param {Replies.Continuation} continuation */
export function continuationView({ page, t }, { theme }, { pieces, log_probabilities }) {
  const colors = colorsOf(page, theme, "weights");
  const items = pieces.map((piece, at) => {
    const p = Math.exp(log_probabilities[at]);
    const { mark, word } = partsOf(piece);
    const index = Math.round(255 * p);
    const lead = mark && h("span", { "aria-hidden": "true" }, mark);
    const text = h("span", { class: "piece", translate: "no" }, lead, word);
    text.style.cssText = `background:${colors.css(index)};color:${textColor(colors, index)}`;
    return h("li", {}, text, h("span", { class: "number", translate: "no" }, percent(p)));
  });
  return h("div", {}, h("h3", {}, t("decode.written", { n: pieces.length })), h("ol", {}, items));
}

/** @typedef {{from: Question, generated: Replies.Continuation, whole: Record<string, any>}} Written */

const TOKENS = 12;

export class ContinueText {
  /** @type {Replies.Continuation | null} */
  written = null;
  /** @type {State["answer"] | undefined} */
  answered;
  tries = 0;
  writing = false;
  /** Whether the button was pressed before the answer. */
  waits = false;
  drawn = "";
  /** Number of tokens that could follow the last answer. */
  fitted = TOKENS;

  /** @param {Store} store */
  constructor(store) {
    const { t } = store;
    this.store = store;
    this.fields = {
      tokens: new WritingField(t, "tokens", { value: TOKENS, min: 1, step: 1 }),
      temperature: new WritingField(t, "temperature", { value: 0, min: 0, step: "any" }),
      seed: new WritingField(t, "seed", { value: 0, min: 0, step: 1 }),
      top_k: new WritingField(t, "top_k", { min: 1, step: 1, placeholder: t("decode.write.all") }),
    };
    this.button = h("button", { class: "button main" }, t("decode.write"));
    this.room = h("span", { class: "muted" });
    this.trouble = h("p", { class: "error", role: "alert" });
    this.pieces = h("div", { class: "written", role: "status" });
    const fields = Object.values(this.fields).map(({ root }) => root);
    const line = h(
      "form",
      { class: "choices", novalidate: true, "aria-label": t("decode.write") },
      fields,
      this.button,
      this.room,
    );
    this.root = h("section", { class: "card writing" }, line, this.trouble, this.pieces);
    line.addEventListener("submit", (event) => {
      event.preventDefault();
      this.write();
    });
    line.addEventListener("input", () => this.show(store.get()));
    this.want = keyedRequest(
      (/** @type {Written} */ written) => this.take(written),
      (problem) => this.refuse(problem),
    );
  }

  write() {
    const { answer, question, status } = this.store.get();
    if (!answer || this.writing) return;
    this.waits = isAsking({ status });
    if (status !== "ready") return;
    const { tokens, temperature, seed, top_k } = this.fields;
    const how = { tokens: tokens.number, temperature: temperature.number, seed: seed.number, top_k: top_k.number };
    this.busy(true);
    this.want(String(this.tries++), async () => {
      const generated = await continuation(answer.reply.trace, how, bodyOf(question));
      return { from: question, generated, whole: await questionOf(generated.trace) };
    });
  }

  /** @param {Written} written */
  take({ from, generated, whole }) {
    this.busy(false);
    const { question, answer, view } = this.store.get();
    if (question !== from) return; // the question changed meanwhile
    this.written = generated;
    const before = answer?.reply.lengths[0] ?? 0;
    const { text, tokens, breaks } = asQuestion(this.store.page, whole);
    // A generated line break must not split the text.
    setQuestion(this.store, { ...question, text, tokens, breaks: breaks || question.breaks, x: null });
    setView(this.store, { ...view, batch: 0, prefill: before, decoded: null }, { replace: true });
  }

  /** @param {Problem} problem */
  refuse(problem) {
    this.busy(false);
    const blamed = problem.errors.filter(({ at }) => at !== null && at in this.fields);
    for (const [name, field] of Object.entries(this.fields))
      field.complain(blamed.find(({ at }) => at === name)?.message ?? "");
    this.trouble.textContent = blamed.length ? "" : refusalWords(this.store, problem);
  }

  /** @param {boolean} writing */
  busy(writing) {
    this.writing = writing;
    this.button.textContent = this.store.t(writing ? "decode.writing" : "decode.write");
    if (writing) for (const field of Object.values(this.fields)) field.complain("");
    if (writing) fill(this.trouble);
    this.show(this.store.get());
  }

  /** @param {State} state */
  show(state) {
    const { page, t } = this.store;
    const { question, answer } = state;
    this.root.hidden = !predicts(page, state) || predictsMasked(page, state) || !answer;
    this.waits &&= !this.root.hidden;
    if (this.root.hidden || !answer) return;
    const limit = (installedOf(page, question) ?? page.lessons[question.model.task]).context;
    const room = limit - answer.reply.lengths[0];
    const { input, number } = this.fields.tokens;
    if (answer !== this.answered) {
      fill(this.trouble); // the error belongs to a previous answer
      const count = number ?? 0;
      const outgrown = count > room && count <= this.fitted && document.activeElement !== input;
      if (room >= 1 && outgrown) input.value = String(room);
      this.fitted = room;
    }
    this.answered = answer;
    const several = answer.reply.lengths.length > 1;
    this.button.disabled = room < 1;
    this.room.textContent = [
      room < 1 ? t("decode.write.full", { limit }) : t("decode.write.room", { room }),
      several && t("decode.write.first"),
    ]
      .filter(Boolean)
      .join(" ");
    const greedy = this.fields.temperature.number === 0;
    for (const name of /** @type {const} */ (["seed", "top_k"])) this.fields[name].input.disabled = greedy;
    const own = this.written?.trace === answer.reply.trace ? this.written : null;
    const key = own ? `${own.trace} ${state.theme}` : "";
    if (key !== this.drawn) fill(this.pieces, own && continuationView(this.store, state, own));
    this.drawn = key;
    if (this.waits && !isAsking(state)) this.write();
  }
}
