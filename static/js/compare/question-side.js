import { differenceOf } from "./pair.js";
import { stagesAlone, unpaired } from "./unpaired.js";
import { notesPlace } from "../core/notes-place.js";
import { partsOf } from "../core/pieces.js";
import { passingWords } from "../core/refusal-words.js";
import { asksForHeads } from "../core/state.js";
import { fill, h } from "../lib/dom.js";
import { labelOf } from "../matrix/names.js";
import { fields } from "../question/options.js";
import { sentence } from "../question/sentence.js";
import { textTools } from "../question/text-tools.js";
import { drawerIn } from "../question/drawer.js";

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
  if (asksForHeads(state)) return []; // the field shows this message
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
