/** Saves and loads a file of read chapters and solved exercises. */

import { addProgress, progressText, countAllSolved, showTicks } from "./solved.js";
import { saveFile } from "../lib/save-file.js";

const MOST = 1_000_000;

export function startProgress() {
  const root = document.querySelector(".progress");
  const load = root?.querySelector("input");
  const said = root?.querySelector("[role=status]");
  if (!(root instanceof HTMLElement) || !load || !(said instanceof HTMLElement)) return;
  const { loaded, refused } = said.dataset;
  const count = root.querySelector("[data-counts]");
  const show = () => {
    if (!(count instanceof HTMLElement)) return;
    const read = document.querySelectorAll("[data-read]:not([hidden])").length;
    const counts = (count.dataset.counts ?? "").replace("{solved}", String(countAllSolved()));
    count.textContent = counts.replace("{read}", String(read));
  };
  root.querySelector("button")?.addEventListener("click", () => {
    saveFile(new Blob([progressText()], { type: "application/json" }), "attnscope-progress.json");
  });
  load.addEventListener("change", async () => {
    const [file] = load.files ?? [];
    if (!file) return;
    const done = file.size <= MOST && addProgress(await file.text());
    load.value = ""; // lets readers choose the same file again
    said.textContent = (done ? loaded : refused) ?? "";
    showTicks();
    show();
  });
  document.querySelector("[data-forget]")?.addEventListener("click", show);
  show();
}
