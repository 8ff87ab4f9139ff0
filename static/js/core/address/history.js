import { lazyLoad } from "../../lib/load.js";
import { readAddress, writeAddress } from "./address.js";
import { isTooLong, isVast, keep, findKept, flush, keptName, ownNameOf } from "./long-questions.js";
import { bodyOf } from "../question.js";
import { needsHeadCount } from "../state.js";

/** @param {Question} question @param {Question} before */
function sameName(question, before) {
  const name = keptName(before);
  return name && JSON.stringify(bodyOf(question)) === JSON.stringify(bodyOf(before)) ? name : undefined;
}

/** @param {Store} store */
export function bindAddress(store) {
  let walks = 0;
  let opening = false; // while the address's question loads
  const leave = () => {
    opening = false;
    return ++walks;
  };
  // Removes ignored parameters, so that copied links lack them.
  const tidy = () => {
    const state = store.get();
    if (state.ignored.length) history.replaceState(null, "", writeAddress(state, new URL(location.href), store.page));
  };
  store.subscribe((state, previous, how) => {
    if (how.silent || (state.question === previous.question && state.view === previous.view)) return;
    // While another question loads, view changes of the old one must not overwrite the address.
    if (opening && how.replace && state.question === previous.question) return;
    leave();
    const { ignored, uploadProblem } = state;
    // Keep the problem of an upload that needs a number of heads.
    if (state.question !== previous.question && (ignored.length || uploadProblem))
      store.set({ ignored: [], uploadProblem: needsHeadCount(uploadProblem) ? uploadProblem : null }, { silent: true });
    const url = new URL(location.href);
    const { question } = state;
    const vast = isVast(question); // too long to write at every keystroke
    let address = vast && !keptName(question) ? "" : writeAddress(state, url, store.page);
    if (!address || isTooLong(address)) {
      const own = how.replace ? ownNameOf(previous.question) : undefined;
      keep(question, sameName(question, previous.question) ?? own);
      address = writeAddress(state, url, store.page);
    }
    if (address === url.pathname + url.search + url.hash) return;
    history[how.replace ? "replaceState" : "pushState"](null, "", address);
  });
  store.subscribe(({ question, view, answer, status }, previous) => {
    const answered = answer !== previous.answer || (status === "ready" && previous.status !== "ready");
    if (!answer || !answered || opening || !keptName(question)) return;
    keep(question, answer.reply.trace);
    history.replaceState(null, "", writeAddress({ question, view }, new URL(location.href), store.page));
  });
  window.addEventListener("popstate", async () => {
    const name = new URLSearchParams(location.search).get("t");
    const walk = leave();
    if (name && !findKept(name)) {
      opening = true;
      const lost = await (await lazyLoad(() => import("./short-link.js"))).openShared(store.page);
      if (walk !== walks) return; // the state or address changed meanwhile
      store.set({ lost }, { silent: true });
    }
    opening = false;
    store.set({ ...readAddress(new URL(location.href), store.page), trail: [] }, { silent: true });
    tidy();
  });
  window.addEventListener("pagehide", flush);
  tidy();
}
