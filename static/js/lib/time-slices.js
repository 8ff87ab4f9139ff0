/** Background work in slices of a frame. */

const LONG = 8; // ms

/** @type {Promise<unknown>} */
let last = Promise.resolve();

/** @returns {Promise<unknown>} after the next frame, one caller a frame */
export const turn = () => (last = last.then(frame));

const frame = () =>
  new Promise((resolve) => {
    if (document.hidden) resolve(null);
    else requestAnimationFrame(() => setTimeout(resolve));
  });

/** @template Item @param {Item[]} items @param {(item: Item) => void} work */
export async function inTurns(items, work) {
  let until = 0;
  for (const item of items) {
    if (performance.now() >= until) {
      await turn();
      until = performance.now() + LONG;
    }
    work(item);
  }
}
