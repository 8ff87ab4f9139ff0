import { stagesOn, has } from "./page.js";

/** The enlarged stage, or null, as on the Gradients tab. @param {Page} page @param {State} state */
export function largeStage(page, { answer, view }) {
  const seen = view.tab === "gradients" ? null : answer;
  return stagesOn(page).find(({ name }) => name === view.stage && seen && has(seen, name)) ?? null;
}
