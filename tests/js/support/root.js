/** Language and theme of a page, for scripts that make no elements: a document of jsdom takes a quarter of a second. */

export function addRoot() {
  globalThis.document ??= Object.assign(new EventTarget(), {
    documentElement: { lang: "en", dataset: {} },
    getElementById: () => null,
    querySelector: () => null,
  });
}
