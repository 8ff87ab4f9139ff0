export const MOST = 100; // longer lists stay folded

/** @param {HTMLElement} root @param {AbortSignal} signal */
export function unfoldOnPaper(root, signal) {
  /** @type {(() => void)[]} */
  const undo = [];
  const each = () => /** @type {HTMLElement[]} */ ([...root.querySelectorAll("[data-folded]")]);
  addEventListener("beforeprint", () => undo.push(...each().map(unfold)), { signal });
  addEventListener("afterprint", () => undo.splice(0).forEach((fold) => fold()), { signal });
}

/** @param {HTMLElement} folded @returns a function that folds again */
function unfold(folded) {
  if (folded instanceof HTMLDetailsElement) {
    const { open } = folded;
    folded.open = true;
    return () => void (folded.open = open);
  }
  const list = /** @type {Element} */ (folded.previousElementSibling);
  const first = [...list.children];
  folded.click();
  return () => {
    list.replaceChildren(...first);
    list.after(folded);
  };
}
