/** Unicode Bidirectional Algorithm (UAX #9) for whole words, without formatting characters. */

import { RIGHT_TO_LEFT } from "./scripts.js";

const LETTER = /\p{L}/u;
// Letters, and punctuation that runs right to left, such as ؟ and ׃.
const STRONG = /[\p{L}\u05be\u05c0\u05c3\u05c6\u05f3\u05f4\u060d\u061b-\u061f\u066d\u06d4\u0700-\u070d]/u;
const HEBREW = /[\u0590-\u05ff\u07c0-\u07ff\ufb1d-\ufb4f]/; // and N’Ko; other right-to-left letters count as Arabic
const DIGIT = /\p{Nd}/u;
const ARABIC_DIGIT = /[\u0660-\u0669]/;
const SEPARATOR = /^[.,:/\u066b\u066c\u00a0]$/;
const UNIT = /^[#%°±‰٪\p{Sc}]+$/u;
const BRACKETS = "()[]{}⟦⟧⟨⟩⟪⟫〈〉《》「」『』【】〔〕〖〗（）［］｛｝"; // pairs

/** @typedef {"R" | "AL" | "L" | "EN" | "AN" | "ET" | "N"} Kind as in UAX #9; N: neutral */
/** @typedef {{text: string, apart: boolean}} Word `apart`: white space precedes */

/** @param {string} text */
function kindOf(text) {
  const [strong] = text.match(STRONG) ?? [];
  if (strong && LETTER.test(strong) && !RIGHT_TO_LEFT.test(strong)) return "L";
  if (strong) return HEBREW.test(strong) ? "R" : "AL";
  const [digit] = text.match(DIGIT) ?? [];
  if (digit) return ARABIC_DIGIT.test(digit) ? "AN" : "EN";
  return UNIT.test(text) ? "ET" : "N";
}

/** Rules W2 to W6. @param {Kind[]} given @param {boolean[]} separators */
function numbersIn(given, separators) {
  const kinds = [...given];
  let arabic = false;
  given.forEach((kind, at) => {
    if (kind === "EN" && arabic) kinds[at] = "AN";
    else if (kind === "AL") kinds[at] = "R";
    if (kind === "R" || kind === "L" || kind === "AL") arabic = kind === "AL";
  });
  separators.forEach((separates, at) => {
    const between = kinds[at - 1] === kinds[at + 1] && (kinds[at - 1] === "EN" || kinds[at - 1] === "AN");
    if (separates && between) kinds[at] = kinds[at - 1];
  });
  for (let from = 0; from < kinds.length; from++) {
    if (kinds[from] !== "ET") continue;
    let to = from;
    while (kinds[to] === "ET") to++;
    kinds.fill(kinds[from - 1] === "EN" || kinds[to] === "EN" ? "EN" : "N", from, to);
  }
  return kinds;
}

/** Indices of paired brackets, in the order of the opening ones. @param {string[]} texts */
function pairsIn(texts) {
  /** @type {number[]} */
  const open = [];
  /** @type {[number, number][]} */
  const pairs = [];
  texts.forEach((text, at) => {
    const which = text.length === 1 ? BRACKETS.indexOf(text) : -1;
    const isClosing = which % 2 === 1;
    if (which >= 0 && !isClosing) open.push(at);
    const from = isClosing ? open.findLastIndex((opened) => texts[opened] === BRACKETS[which - 1]) : -1;
    if (from < 0) return;
    pairs.push([open[from], at]);
    open.length = from;
  });
  return pairs.sort(([a], [b]) => a - b);
}

/** @param {Kind | undefined} kind @param {Kind} base */
const sideOf = (kind, base) => (kind === undefined ? base : kind === "EN" || kind === "AN" ? "R" : kind);

/**
 * Rule N0: text inside, and before, sets the direction of brackets.
 * @param {Kind[]} kinds @param {string[]} texts @param {Kind} base
 */
function directBrackets(kinds, texts, base) {
  for (const [from, to] of pairsIn(texts)) {
    const inside = kinds.slice(from + 1, to).map((kind) => sideOf(kind, base));
    const isOwn = inside.includes(base);
    if (!isOwn && !inside.some((side) => side === "L" || side === "R")) continue;
    const before = kinds.slice(0, from).findLast((kind) => kind !== "N");
    kinds[from] = kinds[to] = isOwn ? base : sideOf(before, base);
  }
}

/** Rules W2 to W7 and N0 to N2. @param {Kind[]} given @param {string[]} texts @param {Kind} base */
function resolved(given, texts, base) {
  const separators = texts.map((text) => SEPARATOR.test(text));
  const kinds = numbersIn(given, separators);
  let strong = base;
  kinds.forEach((kind, at) => {
    if (kind === "EN" && strong === "L") kinds[at] = "L";
    else if (kind === "L" || kind === "R") strong = kind;
  });
  directBrackets(kinds, texts, base);
  for (let from = 0; from < kinds.length; from++) {
    if (kinds[from] !== "N") continue;
    let to = from;
    while (kinds[to] === "N") to++;
    const [before, after] = [sideOf(kinds[from - 1], base), sideOf(kinds[to], base)];
    kinds.fill(before === after ? before : base, from, to);
  }
  return kinds;
}

/**
 * Levels of the text (`base`), its words, and spaces before words. Odd levels run right to left.
 * @param {Word[]} words
 */
export function levelsOf(words) {
  const first = words.map(({ text }) => kindOf(text)).find((kind) => /^(R|AL|L)$/.test(kind));
  const base = first === "R" || first === "AL" ? 1 : 0;
  // White space is neutral and separates numbers.
  const units = words.flatMap(({ text, apart }, at) => [
    { text: apart ? " " : "", at: -1 },
    { text: text.trim(), at },
  ]);
  const there = units.filter(({ text, at }) => at >= 0 || text);
  const texts = there.map(({ text }) => text);
  const kinds = resolved(texts.map(kindOf), texts, base ? "R" : "L");
  const level = (/** @type {Kind} */ kind) => (kind === "R" ? 1 : /^[EA]N$/.test(kind) ? 2 : 2 * base);
  /** @type {number[]} */
  const levels = [];
  /** @type {number[]} */
  const spaces = [];
  there.forEach(({ at }, unit) => {
    if (at >= 0) levels[at] = level(kinds[unit]);
    else spaces[there[unit + 1].at] = level(kinds[unit]);
  });
  return { base, levels, spaces: levels.map((own, at) => spaces[at] ?? own) };
}

/**
 * Indices of words from left to right: reverses runs from the highest level down to 1 (rule L2).
 * @param {number[]} levels @param {number[]} spaces levels of spaces before words
 */
export function visualOrder(levels, spaces) {
  let order = levels.map((_, at) => at);
  for (let least = Math.max(0, ...levels); least > 0; least--) {
    /** @type {number[][]} */
    const runs = [];
    order.forEach((at, place) => {
      const within = place > 0 && levels[at] >= least && levels[order[place - 1]] >= least;
      const gap = Math.abs(at - order[place - 1]) === 1 ? spaces[Math.max(at, order[place - 1])] : least;
      if (within && gap >= least) runs[runs.length - 1].push(at);
      else runs.push([at]);
    });
    order = runs.flatMap((run) => (levels[run[0]] >= least ? run.reverse() : run));
  }
  return order;
}

/**
 * Moves elements by CSS only: keyboard and screen readers keep the logical order.
 * @param {HTMLElement} root @param {HTMLElement[]} items one per word; .part and .joined have no gap before them
 * @param {Word[]} words
 */
export function setInReadingOrder(root, items, words) {
  const { base, levels, spaces } = levelsOf(words);
  root.dir = base ? "rtl" : "ltr";
  items.forEach((item, at) => {
    item.dir = levels[at] % 2 ? "rtl" : "ltr";
    item.style.translate = "";
  });
  const boxes = items.map((item) => item.getBoundingClientRect());
  const apart = parseFloat(getComputedStyle(root).columnGap) || 0;
  for (const [start, end] of linesOf(boxes)) {
    const part = (/** @type {number[]} */ all) => all.slice(start, end);
    const order = visualOrder(part(levels), part(spaces)).map((at) => at + start);
    const line = order.map((at) => boxes[at]);
    const wide = (/** @type {number} */ at, /** @type {number | undefined} */ next) =>
      next !== undefined && Math.abs(at - next) === 1 && items[Math.max(at, next)].matches(".part, .joined")
        ? 0
        : apart;
    const total = order.reduce(
      (sum, at, place) => sum + boxes[at].width + (place < order.length - 1 ? wide(at, order[place + 1]) : 0),
      0,
    );
    let left = base ? Math.max(...line.map((box) => box.right)) - total : Math.min(...line.map((box) => box.left));
    order.forEach((at, place) => {
      items[at].style.translate = `${left - boxes[at].left}px`;
      left += boxes[at].width + wide(at, order[place + 1]);
    });
  }
}

/** @param {DOMRect[]} boxes */
function linesOf(boxes) {
  const starts = boxes.flatMap(({ top }, at) => (at === 0 || top > boxes[at - 1].top + 2 ? [at] : []));
  return starts.map((start, line) => [start, starts[line + 1] ?? boxes.length]);
}

/**
 * Swaps the left and right keys in a row that runs right to left.
 * @template {StepKey} Event @param {Event} event @param {HTMLElement} root
 */
export function alongRow(event, { dir }) {
  const { key, ctrlKey, metaKey, altKey } = event;
  const turned = /** @type {Record<string, string>} */ ({ ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" });
  return { key: dir === "rtl" ? (turned[key] ?? key) : key, ctrlKey, metaKey, altKey };
}
