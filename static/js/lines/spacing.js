/** Layout of the lines, in px. */

/** @typedef {{pitch: number, label: number, gap: number, length: number}} Spacing */

const WIDE = 820; // largest width of the picture
const WEIGHT = 44; // width of a weight beside a name
const LABEL = 150; // largest width of a name
const PITCH = { least: 19, most: 44 };
const ACROSS = { least: 22, most: 84 };
const BAND = { least: 260, most: 460, rest: 190 }; // px between two rows of tokens; `rest`: above and below

/**
 * @param {{count: number, name: number, width: number, height: number, across: boolean}} given `count`: tokens of
 * the longer side; `name`: width of the widest; `across`: one side above the other
 * @returns {Spacing} `pitch` between tokens, `label`: width of name and weight, `gap` between sides, `length` of a side
 */
export function spacingOf({ count, name, width, height, across }) {
  const wide = Math.min(LABEL, name + 12);
  const room = across ? width : Math.max(300, height - 76);
  const least = across ? Math.max(ACROSS.least, wide) : PITCH.least;
  const most = across ? Math.max(ACROSS.most, wide) : PITCH.most;
  const pitch = Math.max(least, Math.min(most, room / count));
  const band = Math.max(BAND.least, Math.min(BAND.most, height - BAND.rest));
  const label = wide + WEIGHT;
  const gap = across ? band : Math.min(width - 28, WIDE) - 2 * label;
  return { pitch, label, gap, length: pitch * count };
}
