/**
 * Factor by which an element fits on a sheet; 1 if its height would need less than `smallest`: it goes on over the next.
 * @param {Pick<HTMLElement, "offsetWidth" | "offsetHeight">} element with screen layout; of size 0 behind another tab
 * @param {{width: number, height: number}} sheet CSS pixels
 * @param {number} smallest
 */
export function shrinkage({ offsetWidth, offsetHeight }, sheet, smallest) {
  const high = sheet.height / offsetHeight;
  return Math.min(1, sheet.width / offsetWidth, high < smallest ? 1 : high);
}
