/** A clock that stands still until it is moved on, in the place of timeouts. */

const turn = setImmediate;

/** Lets everything that waits for no time happen. */
export const settle = () => new Promise((resolve) => turn(resolve));

export function stopClock() {
  let now = 0;
  let last = 0;
  const waiting = new Map();
  globalThis.setTimeout = (run, pause = 0) => {
    waiting.set(++last, { run, at: now + pause });
    return last;
  };
  globalThis.clearTimeout = (id) => waiting.delete(id);
  return {
    /** How many timeouts are waited for. */
    get waiting() {
      return waiting.size;
    },
    /** Moves on, and runs what was waited for in its order. @param {number} ms */
    async pass(ms) {
      const end = now + ms;
      await settle();
      for (;;) {
        const [due] = [...waiting].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at);
        if (!due) break;
        waiting.delete(due[0]);
        now = due[1].at;
        due[1].run();
        await settle();
      }
      now = end;
    },
  };
}
