/** Binds the state to the address: back and forward walk through states. */

import { fetched } from "../lib/fetched.js";
import { readAddress, writeAddress } from "./address.js";
import { isTooLong, keep, keptAs, nameOfKept } from "./kept.js";

/** @param {import("./state.js").Store} store */
export function bindAddress(store) {
  /** What means nothing must not go on in the links that are made of this address. */
  const tidy = () => {
    const state = store.get();
    if (state.ignored.length)
      history.replaceState(null, "", writeAddress(state, new URL(location.href), store.page));
  };
  store.subscribe((state, previous, how) => {
    if (how.silent || (state.question === previous.question && state.view === previous.view)) return;
    if (state.question !== previous.question && (state.ignored.length || state.uploadProblem))
      store.set({ ignored: [], uploadProblem: null }, { silent: true });
    const url = new URL(location.href);
    let address = writeAddress(state, url, store.page);
    if (isTooLong(address) && keep(state.question)) address = writeAddress(state, url, store.page);
    if (address === url.pathname + url.search + url.hash) return;
    history[how.replace ? "replaceState" : "pushState"](null, "", address);
  });
  store.subscribe(({ question, view, answer }, previous) => {
    // The trace of a question that is too long for the address is known with its answer.
    if (!answer || answer === previous.answer || !nameOfKept(question)) return;
    keep(question, answer.reply.trace);
    history.replaceState(null, "", writeAddress({ question, view }, new URL(location.href), store.page));
  });
  window.addEventListener("popstate", async () => {
    const name = new URLSearchParams(location.search).get("t");
    if (name && !keptAs(name)) store.set({ lost: await (await fetched(() => import("./sharing.js"))).openShared(store.page) }, { silent: true });
    store.set({ ...readAddress(new URL(location.href), store.page), trail: [] }, { silent: true });
    tidy();
  });
  tidy();
}
