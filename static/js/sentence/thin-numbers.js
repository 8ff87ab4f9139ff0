/** Where numbers would overlap, hides all but the largest. */

const APART = 26; // px between numbers

/** @param {import("./token-row.js").TokenRow} row */
export function thinOut({ marked, boxes }) {
  /** @type {{left: number, top: number}[]} */
  const written = [];
  const weight = (/** @type {HTMLElement} */ item) => Number(item.style.getPropertyValue("--weight"));
  const numbered = [...new Set(marked)].filter((item) => item.lastChild?.textContent);
  for (const item of numbered.sort((one, other) => weight(other) - weight(one))) {
    const { left, top, width } = boxes.get(Number(item.dataset.at)) ?? { left: 0, top: 0, width: 0 };
    const place = { left: left + width / 2, top };
    const hidden = written.some((each) => each.top === place.top && Math.abs(each.left - place.left) < APART);
    item.classList.toggle("crowded", hidden);
    if (!hidden) written.push(place);
  }
}
