/** "76 %", "3.2 %", "> 99.9 %", "< 0.01 %". @param {number} part 0 to 1 */
export function percent(part) {
  const hundreds = 100 * part;
  const nearlyAll = part < 1 && hundreds >= 99.5;
  if (nearlyAll && hundreds > 99.9) return "> 99.9\u202f%";
  if (part > 0 && hundreds < 0.01) return "< 0.01\u202f%";
  return `${hundreds.toFixed(hundreds >= 9.95 && !nearlyAll ? 0 : hundreds >= 0.1 ? 1 : 2)}\u202f%`;
}
