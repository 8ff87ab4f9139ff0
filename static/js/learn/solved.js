/** Stores read chapters, solved exercises and revealed answers in this browser. */

import { save, readText } from "../lib/local-storage.js";

/**
 * Names of exercises by place, the keys of progress before version 0.3: "7.3" is the fourth under seed 7. "-": the
 * place has held different exercises.
 */
export const BY_PLACE = new Map(
  Object.entries({
    asking: "most_attended row_sum true_reason",
    two_products: "two_by_two share_of_powers true_reason",
    next_word: "likeliest_word odds true_reason",
    three_matrices: "one_projection what_stays count_numbers false_statement true_reason",
    library: "where_it_fails pages_of_a_mix true_reason",
    shapes: "head_width which_stage score_count closed_by_padding order_of_stages true_reason",
    scores: "one_score which_key longer_query false_statement order_of_stages true_reason wrong_cell",
    scaling: "scaled_score spread how_many_times - false_statement order_of_stages true_reason",
    masks: "open_cells open_keys level_row second_row false_statement wrong_row true_reason",
    both_ways: "rows_that_change which_one true_reason",
    softmax: "one_weight all_higher how_much_higher possible_row false_statement wrong_row true_reason",
    weighted_sum: "one_mixture level_mean back_to_the_weight - false_statement order_of_stages true_reason",
    heads: "score_of_a_head score_of_all first_column written_by_head false_statement order_of_stages true_reason",
    twenty_lines: "number_of_a_head without_transpose innermost order_of_stages true_reason",
    write_it: "which_line what_slipped transposed_line true_reason",
    cross: "map_shape who_grows row_total true_reason",
    positions: "order_matters first_wave linear_bias rotary_score true_reason",
    gradients: "- - - - true_reason",
    training_step: "updated - - overshoot true_reason",
    layers: "induced next_x residual norm_of_layer post_norm_cell false_statement true_reason",
    decoder_block: "open_cells cached_rows block_numbers false_statement true_reason",
    habits: "followed before induction_of_row true_reason",
    worth: "change missing_part - true_reason",
    singular_values: "determinant rank largest_stretch - - true_reason",
    only_m: "rank_of_scores turned_score false_statement true_reason share_of_score",
    initialisation: "drawn_variance variance_of_q false_statement true_reason",
    decoding: "cached_numbers - - - - true_reason",
    costs: "map_products open_pattern - - - true_reason",
    variants: "- - mirrored false_statement true_reason",
  }),
);

const SOLVED = "exercises-solved";
const SHOWN = "exercises-shown";
const READ = "chapters-read"; // names, separated by spaces
const MOST = 400; // stored entries; older ones are dropped
const FORMAT = "attnscope progress 2";
const FORMATS = [FORMAT, "attnscope progress 1"];
const CHAPTER = /^\w{1,40}$/;
const ONE = /^(\d{1,9})\.(\w{1,40})$/; // seed and name of an exercise

/** Parses "scores 0.one_score 7.which_key;softmax 0.one_weight". @param {string} text */
function split(text) {
  const chapters = text.split(";").map((line) => line.split(" "));
  const named = chapters.filter(([chapter]) => CHAPTER.test(chapter));
  return new Map(named.map(([chapter, ...each]) => [chapter, each.flatMap((one) => byName(chapter, one))]));
}

/** Names an exercise saved by place before 0.3. Empty if invalid. @param {string} chapter @param {string} one */
function byName(chapter, one) {
  const [, seed, name] = ONE.exec(one) ?? [];
  if (!name) return [];
  if (!/^\d/.test(name)) return [one];
  const was = BY_PLACE.get(chapter)?.split(" ")[Number(name)];
  return was && was !== "-" ? [`${seed}.${was}`] : [];
}

/** @param {string} key */
const stored = (key) => split(readText(key) ?? "");

/** @param {string} key @param {string} chapter */
const solvedIn = (key, chapter) => stored(key).get(chapter) ?? [];

/** @param {string} key @param {string} chapter @param {string} one */
function note(key, chapter, one) {
  const all = [...solvedIn(key, chapter).filter((each) => each !== one), one].slice(-MOST);
  const lines = [...stored(key).set(chapter, all)].filter(([, each]) => each.length);
  save(key, lines.map(([name, each]) => [name, ...each].join(" ")).join(";"));
}

/** @param {string} chapter @param {number} seed @param {string} name */
export const isSolved = (chapter, seed, name) => solvedIn(SOLVED, chapter).includes(`${seed}.${name}`);

/** Counts exercises solved under any seed. @param {string} chapter @param {string[]} exercises */
export function countSolved(chapter, exercises) {
  const solved = new Set(solvedIn(SOLVED, chapter).map((one) => one.split(".")[1]));
  return exercises.filter((name) => solved.has(name)).length;
}

/** @param {string} chapter @param {string[]} exercises */
export const isFinished = (chapter, exercises) =>
  exercises.length > 0 && countSolved(chapter, exercises) === exercises.length;

/** @param {string} chapter @param {number} seed @param {string} name */
export const noteSolved = (chapter, seed, name) => note(SOLVED, chapter, `${seed}.${name}`);

/** @param {string} chapter @param {number} seed @param {string} name */
export const wasShown = (chapter, seed, name) => solvedIn(SHOWN, chapter).includes(`${seed}.${name}`);

/** @param {string} chapter @param {number} seed @param {string} name */
export const noteShown = (chapter, seed, name) => note(SHOWN, chapter, `${seed}.${name}`);

const chaptersRead = () => names(readText(READ) ?? "");

/** @param {string} text */
const names = (text) => text.split(" ").filter((name) => CHAPTER.test(name));

/** @param {string} chapter */
export const isRead = (chapter) => chaptersRead().includes(chapter);

/** @param {string} chapter @param {boolean} [read] */
export function noteRead(chapter, read = true) {
  const others = chaptersRead().filter((name) => name !== chapter);
  save(READ, (read ? [...others, chapter] : others).slice(-MOST).join(" "));
}

export const progressText = () =>
  JSON.stringify({
    format: FORMAT,
    read: readText(READ) ?? "",
    solved: readText(SOLVED) ?? "",
    shown: readText(SHOWN) ?? "",
  });

/** Returns false and adds nothing if the text is invalid. @param {string} text */
export function addProgress(text) {
  const found = parsed(text);
  if (!found) return false;
  for (const [key, added] of Object.entries({ [SOLVED]: found.solved, [SHOWN]: found.shown }))
    for (const [chapter, all] of split(added)) for (const one of all) note(key, chapter, one);
  for (const chapter of names(found.read)) noteRead(chapter);
  return true;
}

/** @param {string} text @returns {{read: string, solved: string, shown: string} | null} */
function parsed(text) {
  try {
    const { format, read = "", solved, shown } = JSON.parse(text); // older files lack `read`
    const texts = [read, solved, shown].every((each) => typeof each === "string");
    return FORMATS.includes(format) && texts ? { read, solved, shown } : null;
  } catch {
    return null;
  }
}

export const anySolved = () => [...stored(SOLVED).values()].some((all) => all.length > 0);

/** Revealed answers stay stored: their exercises never count as solved. */
export const forgetSolved = () => save(SOLVED, "");

const chapterTicks = () =>
  [...document.querySelectorAll("[data-finished]")].flatMap((tick) =>
    tick instanceof HTMLElement
      ? [{ tick, chapter: tick.dataset.finished ?? "", exercises: (tick.dataset.exercises ?? "").split(" ") }]
      : [],
  );

export const countAllSolved = () =>
  chapterTicks().reduce((sum, { chapter, exercises }) => sum + countSolved(chapter, exercises), 0);

export function showTicks() {
  for (const { tick, chapter, exercises } of chapterTicks()) tick.hidden = !isFinished(chapter, exercises);
  for (const mark of document.querySelectorAll("[data-read]"))
    if (mark instanceof HTMLElement) mark.hidden = !isRead(mark.dataset.read ?? "");
  for (const button of document.querySelectorAll("[data-forget]"))
    if (button instanceof HTMLElement) button.hidden = !anySolved();
}

/** @param {() => void} [after] */
export function offerToForget(after) {
  for (const button of document.querySelectorAll("[data-forget]")) {
    button.addEventListener("click", () => {
      forgetSolved();
      showTicks();
      after?.();
      const said = document.querySelector("[data-forgotten]");
      if (said) said.textContent = said.getAttribute("data-forgotten");
    });
  }
  showTicks();
}

/** Readers tick a box, because scrolling to the end is not reading. @param {string} chapter */
export function offerToMarkRead(chapter) {
  const box = document.querySelector("input[name=read]");
  if (!(box instanceof HTMLInputElement)) return;
  box.checked = isRead(chapter);
  box.addEventListener("change", () => {
    noteRead(chapter, box.checked);
    showTicks();
  });
}
