/** Files dropped anywhere on the page. */

/**
 * A file dropped anywhere is an upload. Heard of from the start: the browser would open it in the page's place.
 * @param {(files: File[]) => void} take
 */
export function acceptDrops(take) {
  let depth = 0; // of dragenter without dragleave
  const show = () => document.documentElement.classList.toggle("dropping", depth > 0);
  const carries = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragenter", (event) => {
    if (carries(event)) depth += 1;
    show();
  });
  addEventListener("dragleave", (event) => {
    if (carries(event)) depth -= 1;
    show();
  });
  addEventListener("dragover", (event) => carries(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    depth = 0;
    show();
    take([...(event.dataTransfer?.files ?? [])]);
  });
}
