/** Arrows, Home and End select and open a tab. Tabs that need a shorter text show the reason instead. */

import { setView } from "../core/actions.js";
import { TABS } from "../core/address/fields.js";
import { onProblem } from "../core/api.js";
import { NEED_WHOLE, isTooLong, longestText } from "../core/longest-text.js";
import { predicts } from "../core/position.js";
import { setField } from "../core/question-changes.js";
import { tokensIn } from "../core/token-windows.js";
import { fill, find, h } from "../lib/dom.js";
import { placeAround } from "../lib/step-keys.js";
import { cutText } from "../question/cut-text.js";

/** @type {ViewOf} */
export function tabKeys(root, store) {
  const tabs = /** @type {HTMLElement[]} */ ([...root.querySelectorAll('[role="tab"]')]);
  const keys = new AbortController();

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const to = placeAround(event, tabs.indexOf(/** @type {HTMLElement} */ (event.target)), tabs.length);
    if (to === null) return;
    event.preventDefault();
    tabs[to].focus();
    setView(store, { tab: /** @type {Tab} */ (tabs[to].id.replace("tab-", "")) });
  }

  root.addEventListener("keydown", onKey, { signal: keys.signal });
  return { update: () => undefined, destroy: () => keys.abort() };
}

/** @type {ViewOf} */
export const keepOut = (root, store) => new KeepOut(root, store);

class KeepOut {
  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    this.store = store;
    this.about = h("p", { hidden: true, id: "too-long-for-tabs" });
    document.body.append(this.about);
    const closed = TABS.filter((tab) => NEED_WHOLE.includes(tab));
    this.cards = closed.map((tab) => {
      const panel = find(`#panel-${tab}`);
      const card = h("section", { class: "card too-long", hidden: true });
      panel.before(card);
      return { tab, panel, button: find(`#tab-${tab}`, root), card, explained: /** @type {unknown} */ (null) };
    });
  }

  /** @param {State} state @param {State} [previous] */
  update(state, previous) {
    if (state.answer === previous?.answer && state.view === previous?.view) return;
    const any = this.cards.some(({ tab }) => this.isTooLong(tab, state));
    this.about.textContent = any ? this.store.t("long.tab", sizesOf(state)) : "";
    for (const each of this.cards) this.close(each, state);
  }

  /** False for Worth if the model predicts nothing, which the tab explains. @param {string} tab @param {State} state */
  isTooLong(tab, state) {
    return isTooLong(tab, state) && (tab !== "worth" || predicts(this.store.page, state));
  }

  /** @param {KeepOut["cards"][0]} each @param {State} state */
  close(each, state) {
    const { tab, panel, button, card } = each;
    const shut = this.isTooLong(tab, state);
    panel.classList.toggle("shut", shut);
    button.toggleAttribute("data-shut", shut);
    button.title = shut ? (this.about.textContent ?? "") : "";
    if (shut) button.setAttribute("aria-describedby", this.about.id);
    else button.removeAttribute("aria-describedby");
    // Another fill would lose the focus.
    if (shut && each.explained !== state.answer) fill(card, explanation(this.store, state, tab));
    each.explained = shut && state.answer;
    card.hidden = !shut || state.view.tab !== tab;
  }

  destroy() {
    for (const { card } of this.cards) card.remove();
    this.about.remove();
  }
}

/** @param {State} state */
function sizesOf(state) {
  const { lengths, shape } = /** @type {NonNullable<State["answer"]>} */ (state.answer).reply;
  return { n: lengths[state.view.batch], m: shape.m, most: longestText(state) ?? 0 };
}

/** @param {Store} store @param {State} state @param {string} tab */
function explanation(store, state, tab) {
  const { t } = store;
  const sizes = sizesOf(state);
  const button = (/** @type {string} */ text, /** @type {() => void} */ onclick) =>
    h("button", { type: "button", class: "button", onclick }, text);
  const trouble = h("p", { class: "error", role: "status" });
  const ways = [
    canBeCut(state) && button(t("long.cut", sizes), () => cut(store, sizes.most, trouble)),
    button(t("long.map"), () => setView(store, { tab: "map" })),
    tab === "lab" && button(t("lab.costs"), () => setView(store, { lab: "costs" })),
  ];
  return [
    h("h3", {}, t("long.title", { tab: t(`tab.${tab}`) })),
    h("p", {}, t(`long.why.${tab}`, sizes)),
    h("p", {}, t(sizes.most ? "long.fits" : "long.fewer", sizes)),
    h("p", { class: "ways-on" }, ways),
    trouble,
  ];
}

/** @param {State} state */
const canBeCut = ({ answer, question: { text, tokens, x, pair } }) =>
  Boolean(longestText({ answer }) && answer?.reply.shape.batch === 1 && text && !tokens && !x && !pair);

/** @param {Store} store @param {number} tokens @param {HTMLElement} trouble */
async function cut(store, tokens, trouble) {
  const state = store.get();
  const last = /** @type {[number, number]} */ ([tokens - 1, tokens]);
  try {
    const { offsets } = await tokensIn(state, "query", last, new AbortController().signal);
    const end = offsets[0]?.[1];
    const { question } = state;
    if (!end || store.get().question !== question) return;
    setField(store, "text", cutText(question.text, question.breaks, 0, end));
  } catch (problem) {
    onProblem(({ message }) => fill(trouble, message || store.t("problem.offline")))(problem);
  }
}
