/** The newest request wins: it aborts the one before; late results are dropped. */

/** Bounded cache; the least recently used entry is evicted. @template Value */
export class Memory {
  /** @param {number} most values that are kept */
  constructor(most) {
    this.most = most;
    /** @type {Map<unknown, Value>} */
    this.values = new Map();
  }

  /** @param {unknown} key @returns {Value | undefined} from now on the youngest */
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
 * A question asked by many at once goes out once, and its answer is kept; a failure is not.
 * @template Found
 * @param {number} most answers that are kept
 * @returns {(key: string, ask: () => Promise<Found>) => Promise<Found>}
 */
export function rememberedBy(most) {
  /** @type {Memory<Promise<Found>>} */
  const asked = new Memory(most);
  return (key, ask) => {
    const known = asked.get(key);
    if (known) return known;
    const found = ask();
    asked.set(key, found);
    found.catch(() => asked.delete(key)); // the next one may have more luck
    return found;
  };
}

/**
 * One thing that is wanted at a time. `want` asks for it unless it is wanted already: the request before
 * is aborted, and neither its answer nor its failure is reported. A value in the cache is reported synchronously.
 * `drop` wants nothing any more.
 * @template Found
 * @param {(found: Found) => void} show
 * @param {(error: unknown) => void} fail if it throws, `want` rejects with that
 */
export function newest(show, fail) {
  /** @type {string | null} */
  let wanted = null;
  let controller = new AbortController();

  /** @param {string | null} key @returns {AbortSignal} of the current request */
  function turnTo(key) {
    wanted = key;
    controller.abort();
    controller = new AbortController();
    return controller.signal;
  }

  /** @param {Promise<Found>} coming @param {AbortSignal} signal */
  async function told(coming, signal) {
    let found;
    try {
      found = await coming;
    } catch (error) {
      if (!signal.aborted) fail(error);
      return;
    }
    if (!signal.aborted) show(found);
  }

  /** @param {string} key @param {(signal: AbortSignal) => Promise<Found> | Found} ask @returns {Promise<void>} */
  async function want(key, ask) {
    if (key === wanted) return;
    const signal = turnTo(key);
    const found = ask(signal);
    if (found instanceof Promise) await told(found, signal);
    else show(found);
  }

  return { want, drop: () => void turnTo(null) };
}
