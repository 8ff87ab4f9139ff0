/** Undo and redo: every question that was, beside the browser's own history. */

/** @typedef {import("../lib/store.js").How} How */
/** @typedef {import("../core/question.js").Question} Question */
/** @typedef {import("../core/state.js").Store} Store */

const MOST = 500; // steps; questions share what an edit left alone

/**
 * Whether two questions ask the same: what an edit left alone is shared, so that nothing large is compared.
 * @param {Question} a
 * @param {Question} b
 */
function isSame({ model: a, ...one }, { model: b, ...other }) {
  const equal = (/** @type {Record<string, any>} */ x, /** @type {Record<string, any>} */ y) =>
    Object.keys({ ...x, ...y }).every((name) => x[name] === y[name]);
  return equal(a, b) && equal(one, other);
}

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
    /** @type {How[]} edits whose numbers are still on their way */
    this.pending = [];
    this.landing = false;
    this.forget = store.subscribe((state, previous, how) => {
      if (state.question !== previous.question && !this.walking) this.note(previous.question, how);
      // What was begun for one model is no edit of another.
      if (state.question.model !== previous.question.model && !this.landing) this.pending = [];
    });
  }

  /**
   * A change of the question; one that replaces another belongs to the same step.
   * @param {Question} before
   * @param {How} how
   */
  note(before, { replace }) {
    this.future = [];
    if (replace && this.past.length) return;
    this.past.push(before);
    if (this.past.length > MOST) this.past.shift();
    this.before = before;
  }

  /** An edit is on its way; it can be undone from now on. @param {How} how */
  begin(how) {
    const edit = { ...how };
    this.pending.push(edit);
    this.store.set({ unchanged: null }, { silent: true });
    return edit;
  }

  /**
   * The numbers of an edit have come, or will not.
   * @param {How} edit
   * @returns {boolean} whether it is still wanted
   */
  end(edit) {
    const wanted = this.pending.includes(edit);
    this.pending = this.pending.filter((each) => each !== edit);
    return wanted;
  }

  /** The others that are on their way stay so. @param {Question} question @param {How} how */
  land(question, how) {
    this.landing = true;
    this.store.set({ question }, how);
    this.landing = false;
  }

  undo() {
    if (!this.cancel()) this.walk(this.past, this.future);
  }

  /** Takes back the step that is on its way, which may be many edits; false where its first one is made already. */
  cancel() {
    for (let edit = this.pending.pop(); edit; edit = this.pending.pop()) {
      if (edit.replace) continue;
      this.store.set({}, { silent: true });
      return true;
    }
    return false;
  }

  redo() {
    this.walk(this.future, this.past);
  }

  /** @param {Question[]} from @param {Question[]} to */
  walk(from, to) {
    const now = this.store.get().question;
    let question = from.pop();
    while (question && isSame(question, now)) question = from.pop(); // typed, and typed back in the same step
    if (!question) return this.store.set({}, { silent: true });
    this.before = now;
    to.push(this.before);
    this.walking = true;
    this.store.set({ question });
    this.walking = false;
  }
}
