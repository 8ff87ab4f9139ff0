import { setView } from "../core/actions.js";
import { onProblem } from "../core/api.js";
import { pictureOf } from "../core/picture.js";
import { shownStages, selection, isLong } from "../core/state.js";
import { find, h } from "../lib/dom.js";
import { lazyLoad } from "../lib/load.js";
import { s } from "../lib/svg.js";
import { comparable, noiseOf, SHOWN_IN, firstTrace } from "./previous-answer.js";

/** @param {Store} store @param {(stage: string) => HTMLElement} over returns the overlay of a stage @returns {Part} */
export function flash(store, over) {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  /** @type {Element[]} */
  let lit = [];

  function end() {
    for (const each of lit) each.remove();
    lit = [];
  }

  /** @param {State} state @param {Answer} before @param {Answer} now */
  function light(state, before, now) {
    end();
    for (const stage of shownStages(store.page, state)) {
      const [was, is] = [before, now].map((answer) => pictureOf(store.page, answer, stage, selection(state)));
      if (was?.coarse || is?.coarse) continue;
      const path = was && is && changed(was.values, is, noiseOf(now, Math.max(was.size, is.size)));
      if (!path) continue;
      const mark = markOf(path, is);
      over(stage.name).append(mark);
      lit.push(mark);
    }
  }

  return {
    update(state, previous) {
      const [answer, before] = [state.answer, previous?.answer];
      if (!answer || !before || answer === before || answer.reply.trace === before.reply.trace) return;
      if (still.matches || state.view.tab !== "stages" || state.view.present || !comparable(before, answer)) return;
      light(state, before, answer);
    },
    destroy: end,
  };
}

/** SVG path around runs of changed cells. @param {ArrayLike<number>} was @param {Picture} is @param {number} noise */
function changed(was, { values, rows, cols }, noise) {
  const other = (/** @type {number} */ at) =>
    !Object.is(was[at], values[at]) && !(Math.abs(was[at] - values[at]) <= noise);
  let path = "";
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) {
      const from = col;
      while (col < cols && other(row * cols + col)) col++;
      if (col > from) path += `M${from} ${row}h${col - from}v1h${from - col}z`;
    }
  }
  return path;
}

/** @param {string} d @param {Size} picture */
function markOf(d, { rows, cols }) {
  const box = { class: "flash", viewBox: `0 0 ${cols} ${rows}`, preserveAspectRatio: "none", "aria-hidden": "true" };
  const svg = s("svg", box, s("path", { d }));
  svg.addEventListener("animationend", () => svg.remove());
  return svg;
}

/**
 * @param {HTMLElement} root @param {import("./previous-answer.js").Bench} bench @param {Slots} slots
 * @returns {Part}
 */
export function changeBar(root, bench, slots) {
  const { store } = bench;
  const { t } = store;
  const isShown = () =>
    store.get().view.since !== null || (SHOWN_IN.includes(store.get().view.tab) && !isLong(store.get()));

  async function compare() {
    if (!isShown()) return;
    if (store.get().view.since) return setView(store, { since: null });
    const { question } = store.get();
    const say = (/** @type {State["unchanged"]} */ unchanged) => store.set({ unchanged }, { silent: true });
    const since = await firstTrace(bench).catch(onProblem(say));
    if (!since || store.get().question !== question) return;
    say(null);
    setView(store, { since });
  }

  const show = h("button", { class: "button", onclick: compare }, t("change.show"));
  /** @type {import("./show-change.js").ShowChange | null} */
  let since = null;
  let loading = false;
  const lit = flash(store, (stage) => slots(`${since?.seen.change ? "changed" : "plot"}.${stage}`));
  root.append(show);

  async function load() {
    loading = true;
    const { ShowChange } = await lazyLoad(() => import("./show-change.js"));
    since = new ShowChange(find("#since"), bench, slots);
    since.update();
  }

  return {
    update(state, previous) {
      const { past, future, pending } = state.steps;
      const steps = past.length + future.length + pending.length;
      show.hidden = steps + state.question.drop.length === 0 && state.view.since === null;
      show.setAttribute("aria-pressed", String(state.view.since !== null));
      show.setAttribute("aria-disabled", String(!isShown()));
      const long = isLong(state);
      const about = past.length || !state.question.drop.length ? "change.show_about" : "change.show_with_heads";
      show.title = t(isShown() ? about : long ? "long.short" : "change.show_elsewhere");
      if (state.view.since && state.answer && !long && !loading) load();
      lit.update(state, previous);
      since?.update();
    },
    destroy() {
      lit.destroy();
      since?.destroy();
      show.remove();
    },
  };
}
