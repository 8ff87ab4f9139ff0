/** Formats of address parameters. Invalid text parses to undefined. */

/** @template Value @typedef {{print: (value: Value) => string, parse: (text: string) => Value | undefined}} Kind */

/** @typedef {{chapter: string, t: number}} Step t: 0 to 1 */
/** @typedef {{at: "output" | "block_output", row: number | null, col: number | null}} Objective null: all rows or columns */
/** @typedef {{row: number, col: number, cells: number}} Spot `row`, `col`: middle; `cells`: shorter visible side */

/** @template Value @param {(text: string) => Value | undefined} parse @returns {Kind<Value>} */
const plain = (parse) => ({ print: String, parse });

/** @param {(text: string) => boolean} fits */
const number = (fits) => plain((text) => (fits(text) ? Number(text) : undefined));

/** @template {string} const Word @param {readonly Word[]} words */
export const oneOf = (words) => plain((text) => words.find((word) => word === text));

export const WORD = plain(String);
export const NUMBER = number((text) => text.trim() !== "" && Number.isFinite(Number(text)));
/** A number of first tokens, or positions. @type {Kind<number | number[]>} */
export const PLACES = {
  print: JSON.stringify,
  parse: (text) => (/^(\d+|\[\d+(,\d+)*])$/.test(text) ? JSON.parse(text) : undefined),
};
export const POSITIVE = number((text) => Number(text) > 0 && Number(text) < Infinity);
/** At least 0, less than 1. */
export const SHARE = number((text) => /^0(\.\d{1,6})?$/.test(text));
export const FLAG = plain((text) => (/^(true|false)$/.test(text) ? text === "true" : undefined));
export const INDEX = number((text) => /^\d{1,6}$/.test(text));
export const SCALE = plain((text) => (/^(sqrt_d_k|none)$/.test(text) ? text : NUMBER.parse(text)));
/** @type {Kind<number[][]>} */
export const PAIRS = {
  print: (cells) => cells.map((cell) => cell.join(".")).join("_"),
  parse: (text) =>
    /^\d+\.\d+(_\d+\.\d+)*$/.test(text) ? text.split("_").map((cell) => cell.split(".").map(Number)) : undefined,
};
/** @type {Kind<Cell>} */
export const CELL = {
  print: (cell) => `${cell.stage}.${cell.row}.${cell.col}`,
  parse: (text) => {
    const [, stage, row, col] = text.match(/^(\w+)\.(\d+)\.(\d+)$/) ?? [];
    return stage ? { stage, row: Number(row), col: Number(col) } : undefined;
  },
};

/** @type {Kind<Step>} */
export const STEP = {
  print: ({ chapter, t }) => `${chapter}.${Math.round(100 * t)}`,
  parse: (text) => {
    const [, chapter, percent] = text.match(/^([a-z_]+)\.(\d\d?|100)$/) ?? [];
    return chapter ? { chapter, t: Number(percent) / 100 } : undefined;
  },
};

/** @type {Kind<Spot>} */
export const SPOT = {
  print: ({ row, col, cells }) => `${row}.${col}.${cells}`,
  parse: (text) => {
    const [row, col, cells] = /^(\d{1,6}\.){2}\d{1,6}$/.test(text) ? text.split(".").map(Number) : [];
    return cells ? { row, col, cells } : undefined;
  },
};

export const TRACE = plain((text) => (/^[0-9a-f]{32}$/.test(text) ? text : undefined));

/** @type {Kind<number[]>} */
export const TOKENS = {
  print: (at) => at.join("_"),
  parse: (text) =>
    /^\d{1,6}(_\d{1,6})*$/.test(text) ? [...new Set(text.split("_").map(Number))].toSorted((a, b) => a - b) : undefined,
};

/** @type {Kind<Picked>} */
export const PICKED = {
  print: ({ axis, at }) => `${axis}.${at.join("_")}`,
  parse: (text) => {
    const [, axis, at] = text.match(/^(query|key)\.(\d{1,6}(?:_\d{1,6})*)$/) ?? [];
    return axis
      ? { axis: /** @type {Picked["axis"]} */ (axis), at: [...new Set(at.split("_").map(Number))] }
      : undefined;
  },
};

/** @type {Kind<Objective>} */
export const OBJECTIVE = {
  print: ({ at, row, col }) => [at, row, col].filter((part) => part !== null).join("."),
  parse: (text) => {
    const [at, ...place] = /^(block_)?output(\.\d{1,6}){0,2}$/.test(text) ? text.split(".") : [];
    const [row = null, col = null] = place.map(Number);
    return at ? { at: /** @type {Objective["at"]} */ (at), row, col } : undefined;
  },
};

/**
 * Also reads values of old addresses.
 * @template Value @param {Kind<Value>} kind @param {Record<string, string>} now new values by old values
 * @returns {Kind<Value>}
 */
export const renamed = (kind, now) => ({
  ...kind,
  parse: (text) => kind.parse(Object.hasOwn(now, text) ? now[text] : text),
});
