/** Binds the state to the address: back and forward walk through states. */

import { readAddress, writeAddress } from "./address.js";

/** @param {import("./state.js").Store} store */
export function bindAddress(store) {
  store.subscribe((state, previous, how) => {
    if (how.silent || (state.question === previous.question && state.view === previous.view)) return;
    const url = new URL(location.href);
    const address = writeAddress(state, url, store.page);
    if (address === url.pathname + url.search + url.hash) return;
    history[how.replace ? "replaceState" : "pushState"](null, "", address);
  });
  const read = () =>
    store.set({ ...readAddress(new URL(location.href), store.page), trail: [] }, { silent: true });
  window.addEventListener("popstate", read);
}
