/** Keeps the height of the caption under the sentence: pointing at cells writes it anew, and must move nothing below. */

/** @param {Store} store */
export function keepCaptionHeight(store) {
  const line = /** @type {HTMLElement} */ (document.querySelector("#looks .seen-line"));
  let width = 0;
  const release = () => (line.style.minHeight = "");
  new ResizeObserver(() => {
    if (line.clientWidth !== width) release();
    width = line.clientWidth;
    line.style.minHeight = `${line.offsetHeight}px`;
  }).observe(line);
  store.subscribe((state, previous) => state.answer !== previous.answer && release());
}
