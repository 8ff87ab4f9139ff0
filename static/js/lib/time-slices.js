/** Splits work into slices, so that frames are drawn between them. */

const LONG = 8; // ms of a slice

/** @type {Promise<unknown>} */
let last = Promise.resolve();

/** Resolves after a frame. Several callers take turns, one per frame. */
export const turn = () => (last = last.then(frame));

const frame = () =>
  new Promise((resolve) => {
    if (document.hidden) resolve(null);
    else requestAnimationFrame(() => setTimeout(resolve));
  });

/** @template Item @param {Item[]} items @param {(item: Item) => void} work */
export async function runInSlices(items, work) {
  let until = 0;
  for (const item of items) {
    if (performance.now() >= until) {
      await turn();
      until = performance.now() + LONG;
    }
    work(item);
  }
}
