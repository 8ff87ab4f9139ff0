import { setView } from "../core/actions.js";
import { wholeOf } from "../core/answer.js";
import { leftOutKeys } from "../core/left-out-keys.js";
import { isLong } from "../core/state.js";
import { field } from "../lib/field.js";
import { makeSelect, setOptions } from "../lib/select.js";
import { nameOf } from "./names.js";

/** @param {State} state @param {number[]} keys */
const keyNames = (state, keys) => keys.map((key) => nameOf(state, "key", key)).join(", ");

/** @param {Store} store @param {State} state @param {string} title @param [keys] */
export const titleWithout = ({ t }, state, title, keys = leftOutKeys(state)) =>
  keys.length ? t("heads.skip_of", { title, keys: keyNames(state, keys) }) : title;

/**
 * @param {Store} store @param {State} state
 * @param {"heads.skip_out" | "heads.skip_rollout" | "heads.skip_lines" | "heads.skip_cell"} [key]
 * @param [keys]
 */
export const leftOutWords = ({ t }, state, key = "heads.skip_out", keys = leftOutKeys(state)) =>
  keys.length ? t(key, { keys: keyNames(state, keys) }) : "";

/** @param {State} state */
function pickedKeys({ answer, view: { picked } }) {
  const ofText = !answer || !wholeOf(answer.reply).context_lengths;
  return picked && (picked.axis === "key" || ofText) ? picked.at.toSorted((a, b) => a - b) : [];
}

export class LeftOutChoice {
  /** @param {Store} store */
  constructor(store) {
    const { t } = store;
    this.store = store;
    this.menu = makeSelect((keys) => setView(store, { skip: keys ? keys.split("_").map(Number) : [] }));
    this.root = field(t("heads.skip"), this.menu);
  }

  /** @param {State} state with an answer */
  show(state) {
    const { t } = this.store;
    const why = isLong(state) ? "long.short" : state.view.tokens === "words" ? "heads.skip_words" : "";
    const now = leftOutKeys(state);
    const sets = [[], [0], pickedKeys(state), now].map((keys) => keys.join("_"));
    const nameOfSet = (/** @type {string} */ set) =>
      set ? t("heads.skip_without", { keys: keyNames(state, set.split("_").map(Number)) }) : t("heads.skip_none");
    setOptions(this.menu, [...new Set(sets)], now.join("_"), nameOfSet);
    this.menu.disabled = why !== "";
    this.root.title = t(why || "heads.skip_about");
  }
}
