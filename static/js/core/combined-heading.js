import { chosenHeads } from "./combined-heads.js";

/** "Mean of 3 heads", or the name of a head. @param {Store} store @param {State} state */
export function titleOf({ t }, state) {
  const { view } = state;
  const places = view.tab === "stages" ? [view] : chosenHeads(state);
  return places.length > 1 ? t(`heads.${view.combine}_of`, { n: places.length }) : t("heads.one", { ...places[0] });
}

/** @param {Store} store @param {State} state */
export function rolloutTitle({ t }, { view: { layer, combine, discard } }) {
  const title = t(combine === "max" ? "heads.rollout_max_of" : "heads.rollout_of", { layer });
  return discard ? t("heads.rollout_without", { title, share: percent(discard) }) : title;
}

/** @param {number} share */
export const percent = (share) => `${Number((100 * share).toFixed(4))} %`;
