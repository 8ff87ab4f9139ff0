/** Decode: the same tokens one after the other; what each step makes, and what it reads from the cache. */

import { ask as askFor, look } from "../data/actions.js";
import { hasContext } from "../data/question.js";
import { told, wanting } from "../data/told.js";
import { fill, h } from "../lib/dom.js";
import { cache } from "./cache.js";
import { costs, sharing } from "./costs.js";
import { nameOf } from "./words.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/answer.js").Answer} Answer */
/** @typedef {import("../data/told.js").Decoding} Decoding */
/** @typedef {import("../data/told.js").Shared} Shared */

const MOST = 1_000_000; // numbers of all steps; where there are more, each comes when it is looked at
const PAUSE = 700; // milliseconds a step is seen while it plays

/**
 * How many steps there are, and which one is looked at. What every query sees has to be there first.
 * @param {State} state
 */
function stepsOf({ answer, question, view }) {
  const { reply } = /** @type {Answer} */ (answer);
  const n = reply.lengths[view.batch];
  const prefill = Math.min(Math.max(view.prefill, prefixOf(question)), n);
  const count = n - Math.max(prefill, 1) + 1;
  const at = Math.min(view.decoded ?? count - 1, count - 1);
  const whole = (n * n * (reply.shape.d_k + reply.shape.d_v + 1)) / 2 <= MOST;
  return { n, prefill, count, at, whole };
}

/** @param {import("../data/question.js").Question} question how many keys stay open to all queries */
const prefixOf = ({ prefix }) => (prefix > 1 ? prefix : 0); // the first key comes before every query

/**
 * Why tokens cannot come one after the other, which the server need not be asked for, and the way out.
 * @param {State} state
 */
function obstacleOf({ answer, question }) {
  if (answer?.reply.context_lengths || hasContext(question))
    return { why: "decode.crossed", way: "decode.drop_context", field: "context" };
  if (question.causal !== false) return null;
  return { why: "decode.sees_ahead", way: "decode.make_causal", field: "causal" };
}

/** @type {import("../data/state.js").ViewOf} */
export function decode(root, store) {
  const { t } = store;
  const [layer, head] = ["layer", "head"].map((name) =>
    h("select", { onchange: (/** @type {Event} */ event) => look(store, { [name]: Number(/** @type {HTMLSelectElement} */ (event.target).value) }) }),
  );
  const prefill = h("input", {
    type: "number",
    onchange: () => look(store, { prefill: Math.max(0, Math.round(prefill.valueAsNumber) || 0), decoded: null }),
  });
  const open = h("span", { class: "muted" });
  const table = h("input", { type: "checkbox", onchange: () => look(store, { table: table.checked }) });
  const play = h("button", { class: "button play", onclick: toggle });
  const slider = h("input", { type: "range", min: 0, step: 1, "aria-label": t("decode.step"), oninput: () => (pause(), go(slider.valueAsNumber)) });
  const words = h("p", { class: "words", "aria-live": "polite" });
  const trouble = h("div", { class: "trouble", role: "status" });
  const [picture, bytes, shared] = ["wide", "", ""].map((name) => h("section", { class: `card ${name}` }));
  const content = h("div", { class: "columns" }, picture, h("div", { class: "stack" }, bytes, shared));
  const player = h("div", { class: "player" }, play, slider, words);
  const labels = [layer, head].map((select, at) => h("label", { class: "field" }, h("span", {}, t(at ? "weights.head" : "weights.layer")), select));
  root.classList.add("theory", "decoding");
  const choices = h(
    "div",
    { class: "choices", role: "group", "aria-label": t("decode.choices") },
    labels,
    h("label", { class: "field" }, h("span", {}, t("decode.prefill")), prefill),
    open,
    h("label", { class: "field flag" }, table, t("weights.tables")),
  );
  fill(root, choices, trouble, player, content);
  let running = 0;
  let before = /** @type {State} */ ({ view: {} });
  /** @type {Decoding | null} */
  let decoding = null;
  const want = wanting((/** @type {Decoding} */ found) => {
    decoding = found;
    const state = store.get();
    if (!obstacleOf(state)) show(state);
  }, refuse);
  const wantShared = wanting(
    (/** @type {{variants: Shared[]}} */ found) => sharing(shared, store, found.variants),
    (problem) => fill(shared, h("p", { class: "muted" }, problem.message)),
  );

  /** @param {import("../data/api.js").Problem} problem */
  function refuse(problem) {
    decoding = null;
    close(h("p", {}, problem.message || t("problem.offline")));
  }

  /** @param {...import("../lib/dom.js").Child} why */
  function close(...why) {
    pause();
    fill(trouble, why);
    content.hidden = player.hidden = true;
  }

  /** @param {NonNullable<ReturnType<typeof obstacleOf>>} obstacle */
  function closeFor({ why, way, field }) {
    close(h("p", {}, t(why)), h("button", { class: "button", onclick: () => askFor(store, field, null) }, t(way)));
  }

  /** @param {State} state */
  function ask(state) {
    const { layer, head, batch } = state.view;
    const { prefill, at, whole } = stepsOf(state);
    const steps = whole ? ":" : `${at}:${at + 1}`;
    const query = { layer, head, batch, prefill, steps };
    const of = `${state.answer?.reply.trace} ${state.attempt}`;
    want(`${of} ${Object.values(query).join(" ")}`, () => told(state, "decode", query));
    wantShared(`${of} ${layer} ${batch}`, () => told(state, "sharing", { layer, batch }));
  }

  /** @param {number} at */
  function go(at) {
    const { count } = stepsOf(store.get());
    store.set({ view: { ...store.get().view, decoded: at >= count - 1 ? null : at } }, { replace: true });
  }

  function toggle() {
    if (running) return pause();
    const { at, count } = stepsOf(store.get());
    if (at === count - 1) go(0);
    running = window.setInterval(() => {
      const now = stepsOf(store.get());
      if (now.at < now.count - 1) go(now.at + 1);
      else pause();
    }, PAUSE);
    label();
  }

  function pause() {
    window.clearInterval(running);
    running = 0;
    label();
  }

  function label() {
    fill(play, running ? "❚❚ " : "▶ ", t(running ? "step.pause" : "step.play"));
  }

  /** @param {State} state */
  function show(state) {
    const { view } = state;
    const { num_layers, num_heads } = /** @type {Answer} */ (state.answer).reply.shape;
    const { n, prefill: taken, count, at, whole } = stepsOf(state);
    [num_layers, num_heads].forEach((total, which) => {
      const select = [layer, head][which];
      if (select.options.length !== total) fill(select, Array.from({ length: total }, (_, each) => h("option", { value: each }, each)));
      select.value = String(which ? view.head : view.layer);
      labels[which].hidden = total < 2;
    });
    prefill.max = String(n);
    prefill.min = String(Math.min(prefixOf(state.question), n));
    prefill.value = String(taken);
    open.textContent = taken > view.prefill ? t("decode.open", { n: taken }) : "";
    table.checked = view.table;
    slider.max = String(count - 1);
    slider.value = String(at);
    const step = decoding?.steps[whole ? at : 0];
    if (!decoding || decoding.num_steps !== count || !step || step.step !== at) return;
    fill(trouble);
    content.hidden = player.hidden = false;
    const names = step.rows[1] - step.rows[0] > 3 ? null : Array.from({ length: step.rows[1] - step.rows[0] }, (_, row) => nameOf(state, "query", step.rows[0] + row));
    const said = { at: at + 1, count, tokens: names?.join(" ") ?? "", made: step.rows[1] - step.rows[0], cached: step.cached };
    words.textContent = t(names ? "decode.words" : "decode.words_prefill", said);
    slider.setAttribute("aria-valuetext", words.textContent);
    cache(picture, store, state, step, decoding.steps.at(-1) ?? step, decoding);
    costs(bytes, store, decoding, at);
  }

  label();
  return {
    update(state) {
      if (state.view.tab !== "decode") return running ? pause() : undefined;
      if (!state.answer) return;
      const { answer, view, attempt, theme } = before;
      if (state.answer !== answer || state.view !== view || state.attempt !== attempt || state.theme !== theme) {
        const obstacle = obstacleOf(state);
        choices.hidden = obstacle !== null;
        if (obstacle) closeFor(obstacle);
        else {
          ask(state);
          show(state);
        }
      }
      before = state;
    },
    destroy() {
      pause();
      root.replaceChildren();
    },
  };
}
