/** Retries while the server is unreachable. */

import { askAgain } from "./actions.js";
import { giveUpWhen } from "../lib/load.js";
import { longer } from "../lib/retry.js";
import { isReplaced } from "./api.js";

/** @typedef {import("./state.js").State} State */

/** @param {State} state */
export function unanswered({ problem, unexplained }) {
  return [problem, unexplained].find((failure) => failure?.code === "offline") ?? null;
}

/** @param {import("./state.js").Store} store */
export function startRetrying(store) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let pause = 0;
  giveUpWhen(async () => {
    const replaced = await isReplaced();
    if (replaced) store.set({ replaced }, { silent: true });
    return replaced;
  });

  const again = () => askAgain(store);

  store.subscribe((state, previous) => {
    const failure = unanswered(state);
    if (failure === unanswered(previous)) return;
    clearTimeout(timer);
    pause = failure ? longer(pause) : 0;
    if (failure) timer = setTimeout(again, 1000 * pause);
  });
}
