/** What a picture of several heads is called. */

import { chosenHeads } from "./combined-heads.js";

/**
 * "Mean of 3 heads", or the one head; among the stages always the selected one.
 * @param {import("./state.js").Store} store
 * @param {import("./state.js").State} state
 */
export function titleOf({ t }, state) {
  const { view } = state;
  const places = view.tab === "stages" ? [view] : chosenHeads(state);
  return places.length > 1 ? t(`heads.${view.combine}_of`, { n: places.length }) : t("heads.one", { ...places[0] });
}
