import { setView } from "../core/actions.js";
import { onProblem } from "../core/api.js";
import { isLong } from "../core/state.js";
import { find, h } from "../lib/dom.js";
import { lazyLoad } from "../lib/load.js";
import { SHOWN_IN, firstTrace } from "./previous-answer.js";
import { flash } from "./flash.js";

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
