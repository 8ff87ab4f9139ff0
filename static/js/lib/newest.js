/** Cache of `most` values; evicts the least recently used. @template Value */
export class Lru {
  /** @param {number} most */
  constructor(most) {
    this.most = most;
    /** @type {Map<unknown, Value>} */
    this.values = new Map();
  }

  /** @param {unknown} key */
  get(key) {
    const value = this.values.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  /** @param {unknown} key @param {Value} value */
  set(key, value) {
    this.values.delete(key);
    this.values.set(key, value);
    if (this.values.size > this.most) this.values.delete(this.values.keys().next().value);
  }

  /** @param {unknown} key */
  delete(key) {
    this.values.delete(key);
  }
}

/**
 * Caches `most` promises by key; drops rejected ones.
 * @template Found @param {number} most @returns {(key: string, ask: () => Promise<Found>) => Promise<Found>}
 */
export function memoize(most) {
  /** @type {Lru<Promise<Found>>} */
  const asked = new Lru(most);
  return (key, ask) => {
    const known = asked.get(key);
    if (known) return known;
    const found = ask();
    asked.set(key, found);
    found.catch(() => asked.delete(key));
    return found;
  };
}

/**
 * Shows only the newest result: a request with a new key aborts the previous one. Values that are no promises are
 * shown synchronously.
 * @template Found @param {(found: Found) => void} show
 * @param {(error: unknown) => void} fail if it throws, `want` rejects
 */
export function newest(show, fail) {
  /** @type {string | null} */
  let wanted = null;
  let controller = new AbortController();

  /** @param {string | null} key */
  function turnTo(key) {
    wanted = key;
    controller.abort();
    controller = new AbortController();
    return controller.signal;
  }

  /** @param {Promise<Found>} coming @param {AbortSignal} signal */
  async function settle(coming, signal) {
    let found;
    try {
      found = await coming;
    } catch (error) {
      if (!signal.aborted) fail(error);
      return;
    }
    if (!signal.aborted) show(found);
  }

  /** @param {string} key @param {(signal: AbortSignal) => Promise<Found> | Found} ask */
  async function want(key, ask) {
    if (key === wanted) return;
    const signal = turnTo(key);
    const found = ask(signal);
    if (found instanceof Promise) await settle(found, signal);
    else show(found);
  }

  return { want, drop: () => void turnTo(null) };
}
