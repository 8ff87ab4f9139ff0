/** Arrows, Home and End select and open a tab. */

import { setView } from "../core/actions.js";
import { placeAround } from "../lib/step-keys.js";

/** @type {ViewOf} */
export function tabKeys(root, store) {
  const tabs = /** @type {HTMLElement[]} */ ([...root.querySelectorAll('[role="tab"]')]);
  const keys = new AbortController();

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const to = placeAround(event, tabs.indexOf(/** @type {HTMLElement} */ (event.target)), tabs.length);
    if (to === null) return;
    event.preventDefault();
    tabs[to].focus();
    setView(store, { tab: /** @type {Tab} */ (tabs[to].id.replace("tab-", "")) });
  }

  root.addEventListener("keydown", onKey, { signal: keys.signal });
  return { update: () => undefined, destroy: () => keys.abort() };
}
