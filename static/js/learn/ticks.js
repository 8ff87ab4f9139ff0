/** Ticks of chapters read and finished, and a reset button. */

import { anySolved, forgetSolved, isFinished, isRead, noteRead } from "./done.js";

export function showTicks() {
  for (const tick of document.querySelectorAll("[data-finished]")) {
    if (!(tick instanceof HTMLElement)) continue;
    tick.hidden = !isFinished(tick.dataset.finished ?? "", Number(tick.dataset.exercises));
  }
  for (const mark of document.querySelectorAll("[data-read]"))
    if (mark instanceof HTMLElement) mark.hidden = !isRead(mark.dataset.read ?? "");
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

/** The reader says so: scrolling to the end is no reading. @param {string} chapter */
export function offerToMarkRead(chapter) {
  const box = document.querySelector("input[name=read]");
  if (!(box instanceof HTMLInputElement)) return;
  box.checked = isRead(chapter);
  box.addEventListener("change", () => {
    noteRead(chapter, box.checked);
    showTicks();
  });
}
