/** The header's links keep what the reader chose: the state, or the language. */

/** Called whenever the address changes. */
export function updateHeader() {
  const url = new URL(location.href);
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (
    document.querySelectorAll("a[data-lang]")
  )) {
    const other = new URL(url);
    other.searchParams.set("lang", link.dataset.lang ?? "en");
    link.href = other.href;
  }
  // Out of a frame, to the whole page.
  const whole = /** @type {HTMLAnchorElement | null} */ (document.querySelector("a[data-whole]"));
  if (whole) whole.href = `/${url.search}${url.hash}`;
}
