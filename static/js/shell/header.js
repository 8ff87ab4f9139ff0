/** The header's links keep the state, or the language. */

import { find } from "../lib/dom.js";

let known = "";

/** Called whenever the address may have changed. */
export function updateHeader() {
  if (location.href === known) return;
  known = location.href;
  const url = new URL(known);
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("a[data-lang]"))) {
    const other = new URL(url);
    other.searchParams.set("lang", link.dataset.lang ?? "en");
    link.href = other.href;
  }
  // Out of a frame, to the whole page.
  const whole = /** @type {HTMLAnchorElement | null} */ (document.querySelector("a[data-whole]"));
  if (whole) whole.href = `/${url.search}${url.hash}`;
}

/** Lets the skip link lead past the header where the address is the state: matrices may stand after its #. */
export function skipInPlace() {
  find(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    find("#main").focus();
  });
}
