/** Ticks of finished chapters, and a reset button. */

import { anySolved, forgetSolved, isFinished } from "./done.js";

export function showTicks() {
  for (const tick of document.querySelectorAll("[data-finished]")) {
    if (!(tick instanceof HTMLElement)) continue;
    tick.hidden = !isFinished(tick.dataset.finished ?? "", Number(tick.dataset.exercises));
  }
  for (const button of document.querySelectorAll("[data-forget]"))
    if (button instanceof HTMLElement) button.hidden = !anySolved();
}

/** @param {() => void} [after] runs after a reset */
export function offerToForget(after) {
  for (const button of document.querySelectorAll("[data-forget]")) {
    button.addEventListener("click", () => {
      forgetSolved();
      showTicks();
      after?.();
      const said = document.querySelector("[data-forgotten]");
      if (said) said.textContent = said.getAttribute("data-forgotten");
    });
  }
  showTicks();
}
