/** Binds the state to the address and the browser's history. */

import { fetched } from "../../lib/load.js";
import { readAddress, writeAddress } from "./address.js";
import { isTooLong, isVast, keep, keptAs, layDown, nameOfKept, ownNameOf } from "./long-questions.js";
import { bodyOf } from "../question.js";
import { lacksHeads } from "../state.js";

/**
 * The long question's name, if the new one has the same request body (an empty line more): no answer will name it.
 * @param {import("../question.js").Question} question @param {import("../question.js").Question} before
 */
function sameName(question, before) {
  const name = nameOfKept(before);
  return name && JSON.stringify(bodyOf(question)) === JSON.stringify(bodyOf(before)) ? name : undefined;
}

/** @param {import("../state.js").Store} store */
export function bindAddress(store) {
  let walks = 0;
  let opening = false; // the question of the new address is still loading
  /** Cancel navigation that waits for its question. */
  const leave = () => {
    opening = false;
    return ++walks;
  };
  /** Remove ignored parameters, so that links do not copy them. */
  const tidy = () => {
    const state = store.get();
    if (state.ignored.length) history.replaceState(null, "", writeAddress(state, new URL(location.href), store.page));
  };
  store.subscribe((state, previous, how) => {
    if (how.silent || (state.question === previous.question && state.view === previous.view)) return;
    // An answer to an earlier question must not overwrite the address; user actions may.
    if (opening && how.replace && state.question === previous.question) return;
    leave();
    const { ignored, uploadProblem } = state;
    // Uploaded files keep waiting for their number of heads.
    if (state.question !== previous.question && (ignored.length || uploadProblem))
      store.set({ ignored: [], uploadProblem: lacksHeads(uploadProblem) ? uploadProblem : null }, { silent: true });
    const url = new URL(location.href);
    const { question } = state;
    const vast = isVast(question); // do not write the address at every keystroke
    let address = vast && !nameOfKept(question) ? "" : writeAddress(state, url, store.page);
    if (!address || isTooLong(address)) {
      const own = how.replace ? ownNameOf(previous.question) : undefined;
      keep(question, sameName(question, previous.question) ?? own);
      address = writeAddress(state, url, store.page);
    }
    if (address === url.pathname + url.search + url.hash) return;
    history[how.replace ? "replaceState" : "pushState"](null, "", address);
  });
  store.subscribe(({ question, view, answer, status }, previous) => {
    // The answer gives the trace of a question that is too long for the address.
    const answered = answer !== previous.answer || (status === "ready" && previous.status !== "ready");
    if (!answer || !answered || opening || !nameOfKept(question)) return;
    keep(question, answer.reply.trace);
    history.replaceState(null, "", writeAddress({ question, view }, new URL(location.href), store.page));
  });
  window.addEventListener("popstate", async () => {
    const name = new URLSearchParams(location.search).get("t");
    const walk = leave();
    if (name && !keptAs(name)) {
      opening = true;
      const lost = await (await fetched(() => import("./short-link.js"))).openShared(store.page);
      if (walk !== walks) return; // superseded
      store.set({ lost }, { silent: true });
    }
    opening = false;
    store.set({ ...readAddress(new URL(location.href), store.page), trail: [] }, { silent: true });
    tidy();
  });
  window.addEventListener("pagehide", layDown);
  tidy();
}
