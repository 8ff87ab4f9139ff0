/**
 * Factor that shrinks an element to a sheet. If the height needs a factor below `smallest`, only the width counts, and
 * the element continues on the next sheet.
 * @param {Pick<HTMLElement, "offsetWidth" | "offsetHeight">} element is 0 × 0 in a hidden tab
 * @param {{width: number, height: number}} sheet CSS pixels @param {number} smallest
 */
export function shrinkage({ offsetWidth, offsetHeight }, sheet, smallest) {
  const high = sheet.height / offsetHeight;
  return Math.min(1, sheet.width / offsetWidth, high < smallest ? 1 : high);
}
