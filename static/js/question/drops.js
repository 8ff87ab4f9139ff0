/**
 * Calls `take` with dropped files, which the browser would open otherwise.
 * @param {(files: File[], dropped: DataTransfer | null, place: EventTarget | null) => void} take
 */
export function acceptDrops(take) {
  let depth = 0; // of nested elements under the pointer
  hear("dragenter", () => (depth += 1));
  hear("dragleave", () => (depth -= 1));
  hear("dragover", (event) => event.preventDefault());
  hear("drop", (event) => {
    event.preventDefault();
    depth = 0;
    take([...(event.dataTransfer?.files ?? [])], event.dataTransfer, event.target);
  });

  /** @param {"dragenter" | "dragleave" | "dragover" | "drop"} type @param {(event: DragEvent) => void} heard */
  function hear(type, heard) {
    addEventListener(type, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      heard(event);
      document.documentElement.classList.toggle("dropping", depth > 0);
    });
  }
}
