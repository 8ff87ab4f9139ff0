import { anySolved, countSolved, forgetSolved, isFinished, isRead, noteRead } from "./solved.js";

const chapterTicks = () =>
  [...document.querySelectorAll("[data-finished]")].flatMap((tick) =>
    tick instanceof HTMLElement
      ? [{ tick, chapter: tick.dataset.finished ?? "", exercises: (tick.dataset.exercises ?? "").split(" ") }]
      : [],
  );

export const countAllSolved = () =>
  chapterTicks().reduce((sum, { chapter, exercises }) => sum + countSolved(chapter, exercises), 0);

export function showTicks() {
  for (const { tick, chapter, exercises } of chapterTicks()) tick.hidden = !isFinished(chapter, exercises);
  for (const mark of document.querySelectorAll("[data-read]"))
    if (mark instanceof HTMLElement) mark.hidden = !isRead(mark.dataset.read ?? "");
  for (const button of document.querySelectorAll("[data-forget]"))
    if (button instanceof HTMLElement) button.hidden = !anySolved();
}

/** @param {() => void} [after] */
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

/** Readers tick a box, because scrolling to the end is not reading. @param {string} chapter */
export function offerToMarkRead(chapter) {
  const box = document.querySelector("input[name=read]");
  if (!(box instanceof HTMLInputElement)) return;
  box.checked = isRead(chapter);
  box.addEventListener("change", () => {
    noteRead(chapter, box.checked);
    showTicks();
  });
}
