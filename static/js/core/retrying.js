import { setReplacedCheck } from "../lib/load.js";
import { isReplaced } from "./api.js";

/** A problem with code "offline", else null. @param {State} state */
export function outageOf({ problem, unexplained }) {
  return [problem, unexplained].find((failure) => failure?.code === "offline") ?? null;
}

/** @param {Store} store */
export function giveUpIfReplaced(store) {
  setReplacedCheck(async () => {
    const replaced = await isReplaced();
    if (replaced) store.set({ replaced }, { silent: true });
    return replaced;
  });
}
