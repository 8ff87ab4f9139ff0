/**
 * Shares each request among those that want it at one time; it is aborted when all of them have left.
 * @template Found
 * @returns {(key: string, ask: (signal: AbortSignal) => Promise<Found>, signal: AbortSignal) => Promise<Found>}
 */
export function shareRequests() {
  /** @type {Map<string, {readers: number, controller: AbortController, found: Promise<Found>}>} */
  const coming = new Map();

  return (key, ask, signal) => {
    const known = coming.get(key);
    const controller = known?.controller ?? new AbortController();
    const one = known ?? { readers: 0, controller, found: ask(controller.signal) };
    const forget = () => void (coming.get(key) === one && coming.delete(key));
    if (!known) {
      coming.set(key, one);
      one.found.then(forget, forget);
    }
    one.readers += 1;
    signal.addEventListener("abort", () => {
      one.readers -= 1;
      if (one.readers > 0) return;
      forget();
      controller.abort();
    });
    return one.found;
  };
}
