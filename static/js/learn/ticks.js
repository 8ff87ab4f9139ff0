/** The ticks of finished chapters, hidden in the server's page, and the button that resets them. */

import { anySolved, forgetSolved, isFinished } from "./done.js";

/** Shows the tick of each chapter whose exercises were all solved, and the reset button if anything was. */
export function showTicks() {
  for (const tick of document.querySelectorAll("[data-finished]")) {
    if (!(tick instanceof HTMLElement)) continue;
    tick.hidden = !isFinished(tick.dataset.finished ?? "", Number(tick.dataset.exercises));
  }
  for (const button of document.querySelectorAll("[data-forget]"))
    if (button instanceof HTMLElement) button.hidden = !anySolved();
}

/** @param {() => void} [after] what else has to follow */
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
