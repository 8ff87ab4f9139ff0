/** Exercises of a chapter; the server computes their answers. */

import { isFinished, isSolved, noteShown, noteSolved, wasShown, offerToForget, showTicks } from "./solved.js";
import { MarkedExercise, OwnWords } from "./exercise.js";
import { exercisesOf, marksOf } from "./lessons.js";
import { pageAddress } from "../core/page-address.js";
import { fill, h } from "../lib/dom.js";
import { newest } from "../lib/newest.js";

/** @import {Exercise} from "./lessons.js" */

/**
 * @param {HTMLElement} root @param {Store} store @param {string} chapter
 * @param {() => void} [moved] called after the address gets a seed
 */
export const practice = (root, store, chapter, moved) => new Exercises(root, store, chapter, moved).begin();

const SEEDS = 1e9; // worksheets have the same limit

/** Seed in the address; NaN if invalid. */
function seedHere() {
  const named = new URL(location.href).searchParams.get("seed") ?? "0";
  return /^\d{1,9}$/.test(named) ? Number(named) : Number.NaN;
}

/** @param {number} seed */
function writeSeed(seed) {
  const url = new URL(location.href);
  if (seed) url.searchParams.set("seed", String(seed));
  else url.searchParams.delete("seed");
  history.replaceState(null, "", url.pathname + url.search + url.hash);
}

class Exercises {
  /** @param {HTMLElement} root @param {Store} store @param {string} chapter @param {() => void} [moved] */
  constructor(root, store, chapter, moved) {
    this.moved = moved;
    this.store = store;
    this.chapter = chapter;
    const seed = seedHere();
    this.seed = seed || 0;
    const next = () => this.show((this.seed + 1) % SEEDS);
    this.trouble = h("p", { class: "error", role: "status" });
    this.notice = h("p", { role: "status" }, Number.isNaN(seed) && store.t("practice.no_seed", { last: SEEDS - 1 }));
    this.list = h("ol", { class: "exercises" });
    this.sheet = h("a", { class: "button" }, store.t("practice.sheet"));
    const more = h("button", { class: "button", onclick: next }, store.t("practice.more"));
    this.finished = h("p", { class: "finished", role: "status" });
    /** @type {(MarkedExercise | OwnWords)[]} */
    this.each = [];
    this.posing = newest(
      (/** @type {[number, Exercise[]]} */ [seed, exercises]) => this.pose(seed, exercises),
      () => {
        this.posing.drop(); // else these exercises could not be requested again
        this.trouble.textContent = this.store.t("problem.offline");
      },
    );
    fill(root, this.notice, this.list, this.trouble, this.finished, h("p", { class: "ends" }, more, this.sheet));
  }

  begin() {
    offerToForget(() => {
      this.finished.textContent = "";
      for (const each of this.each) if (each instanceof MarkedExercise) each.recall();
    });
    return this.show(this.seed);
  }

  /** @param {number} seed */
  show(seed) {
    return this.posing.want(String(seed), async () => [seed, await exercisesOf(this.chapter, seed)]);
  }

  /** @param {number} seed @param {Exercise[]} exercises */
  pose(seed, exercises) {
    this.trouble.textContent = "";
    if (this.each.length) this.notice.textContent = "";
    this.seed = seed;
    writeSeed(seed);
    this.moved?.();
    this.sheet.href = pageAddress(`/learn/${this.chapter}/worksheet`, { seed: String(seed) });
    this.each = exercises.map((exercise, at) => this.createExercise(exercise, at, seed));
    const lines = this.each.map(({ root }) => h("li", {}, root));
    fill(this.list, lines);
  }

  /** @param {number} at @param {number} seed */
  async replace(at, seed) {
    const before = this.each[at];
    const exercises = await exercisesOf(this.chapter, seed).catch(() => null);
    if (this.each[at] !== before) return; // another exercise has taken the place meanwhile
    this.trouble.textContent = exercises ? "" : this.store.t("problem.offline");
    if (!exercises) return;
    const posed = this.createExercise(exercises[at], at, seed);
    this.each[at].root.replaceWith(posed.root);
    this.each[at] = posed;
    posed.root.querySelector("input")?.focus();
  }

  /** @param {Exercise} exercise @param {number} at @param {number} seed */
  createExercise(exercise, at, seed) {
    /** @param {string} answer @param {1 | 2} of */
    const mark = async (answer, of) => {
      const only = (/** @type {string | 1 | 2} */ mine) =>
        Array.from(this.list.children, (_, index) => (index === at ? mine : null));
      return (await marksOf(this.chapter, seed, only(answer), only(of)))[at];
    };
    // The readers' own words are never sent.
    if (exercise.open) return new OwnWords(this.store, exercise, () => mark("–", 1));
    const solved = {
      is: () => isSolved(this.chapter, seed, exercise.name),
      note: () => {
        noteSolved(this.chapter, seed, exercise.name);
        showTicks();
        this.showFinished();
      },
      wasShown: () => wasShown(this.chapter, seed, exercise.name),
      noteShown: () => noteShown(this.chapter, seed, exercise.name),
    };
    const another = () => void this.replace(at, (seed + 1) % SEEDS);
    return new MarkedExercise(this.store, exercise, `choice-${at}`, mark, solved, another);
  }

  showFinished() {
    const names = this.each.flatMap((posed) => (posed instanceof MarkedExercise ? [posed.exercise.name] : []));
    const finished = isFinished(this.chapter, names);
    this.finished.textContent = finished ? this.store.t("practice.finished") : "";
  }
}
