/**
 * Factor that fits an element on a sheet. Below `smallest` only the width counts: the element continues on the next
 * sheet.
 * @param {Pick<HTMLElement, "offsetWidth" | "offsetHeight">} element 0 × 0 in a hidden tab
 * @param {{width: number, height: number}} sheet CSS pixels @param {number} smallest
 */
export function shrinkage({ offsetWidth, offsetHeight }, sheet, smallest) {
  const high = sheet.height / offsetHeight;
  return Math.min(1, sheet.width / offsetWidth, high < smallest ? 1 : high);
}
