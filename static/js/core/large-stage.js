import { drawn, has } from "./page.js";

/**
 * The enlarged stage; null on the Gradients tab, whose pictures are no stages.
 * @param {Page} page @param {State} state
 */
export function largeStage(page, { answer, view }) {
  const seen = view.tab === "gradients" ? null : answer;
  return drawn(page).find(({ name }) => name === view.stage && seen && has(seen, name)) ?? null;
}
