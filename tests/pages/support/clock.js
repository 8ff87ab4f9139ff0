/** The time of a page, without waiting: its pauses, and replies that come late. */

const LONG = 1000; // ms
const SHORT = 100;

/**
 * Shortens every pause of an opened page that lasts a second or more.
 * @param {{window: any}} page
 * @returns {number[]} the pauses as the page asked for them, in seconds
 */
export function hurry({ window }) {
  const pauses = [];
  const wait = window.setTimeout;
  window.setTimeout = (run, pause = 0, ...rest) => {
    if (pause < LONG) return wait(run, pause, ...rest);
    pauses.push(pause / 1000);
    return wait(run, 1, ...rest);
  };
  return pauses;
}

/**
 * Holds every pause of an opened page that lasts a tenth of a second or more.
 * @param {{window: any}} page
 * @returns {() => void} ends the pauses that are held
 */
export function holdPauses({ window }) {
  const held = new Map();
  const { setTimeout: wait, clearTimeout: clear } = window;
  window.setTimeout = (run, pause = 0, ...rest) => {
    if (pause < SHORT) return wait(run, pause, ...rest);
    const id = wait(() => undefined);
    held.set(id, run);
    return id;
  };
  window.clearTimeout = (id) => {
    held.delete(id);
    clear(id);
  };
  return () => {
    for (const [id, run] of [...held]) {
      held.delete(id);
      run();
    }
  };
}

/** A reply that comes when the test sends it. */
export function later() {
  /** @type {(reply?: Response) => void} */
  let send = () => undefined;
  const reply = new Promise((resolve) => (send = resolve));
  return { reply, send };
}
