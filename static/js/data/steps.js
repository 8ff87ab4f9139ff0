/** Undo and redo: every question that was, beside the browser's own history. */

/** @typedef {import("./question.js").Question} Question */
/** @typedef {import("./state.js").Store} Store */

const MOST = 500; // steps; questions share what an edit left alone

export class Steps {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    /** @type {Question[]} */
    this.past = [];
    /** @type {Question[]} */
    this.future = [];
    /** @type {Question | null} what was asked before the last change */
    this.before = null;
    this.walking = false;
    this.forget = store.subscribe((state, previous, how) => {
      if (state.question !== previous.question && !this.walking) this.note(previous.question, how);
    });
  }

  /**
   * A change of the question; one that replaces another belongs to the same step.
   * @param {Question} before
   * @param {import("../lib/store.js").How} how
   */
  note(before, { replace }) {
    this.future = [];
    if (replace && this.past.length) return;
    this.past.push(before);
    if (this.past.length > MOST) this.past.shift();
    this.before = before;
  }

  undo() {
    this.walk(this.past, this.future);
  }

  redo() {
    this.walk(this.future, this.past);
  }

  /** @param {Question[]} from @param {Question[]} to */
  walk(from, to) {
    const question = from.pop();
    if (!question) return;
    this.before = this.store.get().question;
    to.push(this.before);
    this.walking = true;
    this.store.set({ question });
    this.walking = false;
  }
}
