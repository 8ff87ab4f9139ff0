import { wordsOf } from "../core/answer.js";
import { notesPlace } from "../core/notes-place.js";
import { partsOf } from "../core/pieces.js";
import { passingWords } from "../core/refusal-words.js";
import { repeatsOutput, asksHeadCount } from "../core/state.js";
import { fill, h } from "../lib/dom.js";
import { labelOf } from "../matrix/names.js";
import { drawerIn } from "../question/drawer.js";
import { fields } from "../question/options.js";
import { sentence } from "../question/sentence.js";
import { textTools } from "../question/text-tools.js";
import { hasStage, differenceOf } from "./pair.js";

/** @import {Difference, Side} from "../difference/difference.js" */

/** Sizes, each with the first index that the page shows. */
const SIZES = /** @type {const} */ ([
  ["batch", 1],
  ["num_layers", 0],
  ["num_heads", 0],
  ["d_model", 0],
  ["d_k", 0],
  ["d_v", 0],
]);

/**
 * Indices (`from` to `to`, inclusive) and tokens that the other side lacks.
 * @param {Difference} difference @param {Side} side @param {number} batch
 */
export function unpaired(difference, side, batch) {
  const [own, other] = side === "a" ? [difference.a, difference.b] : [difference.b, difference.a];
  const sizes = SIZES.flatMap(([what, first]) => {
    const [mine, theirs] = [own.reply.shape[what], other.reply.shape[what]];
    return mine > theirs ? [{ what, from: theirs + first, to: mine - 1 + first }] : [];
  });
  const axes = own.reply.context_lengths ? ["query", "key"] : ["query"];
  const tokens = axes.flatMap((axis) => {
    const alone = difference.tokenPairs(batch, axis).filter((pair) => pair[side === "a" ? 1 : 0] === null);
    return alone.map((pair) => {
      const at = /** @type {number} */ (pair[side === "a" ? 0 : 1]);
      return wordsOf(own.reply, axis).tokens?.[batch]?.[at] ?? String(at);
    });
  });
  return tokens.length ? [...sizes, { what: "tokens", tokens }] : sizes;
}

/**
 * Stages that the other side, a capture, lacks.
 * @param {Page} page @param {import("./pair.js").Comparison} state @param {Side} side
 */
export function stagesAlone({ stages }, state, side) {
  const [own, other] = side === "a" ? [state.a, state.b] : [state.b, state.a];
  if (!own.answer || !other.answer) return [];
  const shown = stages.filter(({ name }) => name !== "block_output" || !repeatsOutput(own));
  return shown.filter((stage) => hasStage(own.answer, stage) && !hasStage(other.answer, stage));
}

/** @typedef {import("./pair.js").PairStore} PairStore */
/** @typedef {import("../difference/difference.js").Side} Side */

const SHOWN = 6;

/**
 * @param {HTMLElement} root @param {PairStore} pair @param {Store} store @param {Side} name
 * @returns {Part}
 */
export function questionSide(root, pair, store, name) {
  const [text, set] = [h("div", { class: "sentence", "data-side": name }), h("div", { class: "options" })];
  const said = h("div", { class: "notice", role: "status" });
  set.setAttribute("role", "group");
  set.setAttribute("aria-label", store.t("options.label"));
  const notes = notesPlace();
  root.append(h("h2", {}, h("span", { class: "letter" }, name.toUpperCase())), text, set, notes.root, said);
  const summary = drawerIn(set, store);
  const parts = [sentence(text, store), textTools(text, store), fields(summary.drawer, store), summary];
  let drawn = "";
  return {
    update(state, previous) {
      for (const part of parts) part.update(state, previous);
      root.dataset.status = state.status;
      if (state.answer !== previous?.answer) notes.update(state.answer);
      const words = sayings(store, state);
      const left = leftOut(pair, store, name);
      const key = [state.status, ...[...words, ...left].map((word) => word && word.textContent)].join("\n");
      if (key === drawn) return;
      drawn = key;
      said.className = words.length ? `notice ${state.status}` : "notice";
      fill(said, words, left);
    },
    destroy() {
      for (const part of parts) part.destroy();
      root.replaceChildren();
    },
  };
}

/** @param {Store} store @param {State} state */
function sayings({ t, get, set }, state) {
  const { status, problem, answer } = state;
  if (asksHeadCount(state)) return []; // the field shows this message
  if (status === "empty" || status === "no_upload")
    return [h("strong", {}, t(`${status}.title`)), h("span", {}, t(`${status}.about`))];
  if (status !== "failed" || !problem) return [];
  const offline = problem.code === "offline";
  const again = () => set({ attempt: get().attempt + 1 }, { silent: true });
  return [
    h("strong", {}, offline ? t("problem.offline_title") : problem.title),
    h("span", {}, offline ? t("problem.retrying") : passingWords({ t }, problem)),
    answer && h("span", { class: "muted" }, t("problem.kept")),
    (problem.passing || problem.status >= 500) &&
      h("button", { type: "button", class: "button", onclick: again }, t("problem.again")),
  ];
}

/** @param {PairStore} pair @param {Store} store @param {Side} name */
function leftOut({ t, page, get }, store, name) {
  const state = get();
  const difference = differenceOf(page, state);
  const alone = difference ? unpaired(difference, name, state.view.batch) : [];
  const what = alone.map((one) =>
    "tokens" in one
      ? t("compare.alone.tokens", { tokens: shortened(one.tokens) })
      : t(`compare.alone.${one.what}`, { range: one.from === one.to ? one.to : `${one.from}–${one.to}` }),
  );
  const stages = stagesAlone(page, state, name).map((stage) => labelOf(store, stage.name));
  if (stages.length) what.unshift(t("compare.alone.stages", { stages: stages.join(", ") }));
  const other = t(`compare.${name === "a" ? "b" : "a"}`);
  const { ignored } = state[name];
  return [
    what.length > 0 && h("p", { class: "alone muted" }, t("compare.alone", { other, what: what.join(" · ") })),
    ignored.length > 0 && h("p", { class: "ignored muted" }, t("address.ignored", { what: ignored.join(", ") })),
  ];
}

/** @param {string[]} tokens */
function shortened(tokens) {
  const first = tokens.slice(0, SHOWN).map((token) => `\u2068${partsOf(token).word}\u2069`);
  return first.join(", ") + (tokens.length > SHOWN ? " …" : "");
}
