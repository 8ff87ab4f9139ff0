/** Copies the state from the address into links to other languages and to the whole page. */

import { find } from "../lib/dom.js";

let known = "";

/** Call this when the address may have changed. */
export function updateHeader() {
  if (location.href === known) return;
  known = location.href;
  const url = new URL(known);
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("a[data-lang]"))) {
    const other = new URL(url);
    other.searchParams.set("lang", link.dataset.lang ?? "en");
    link.href = other.href;
  }
  const whole = /** @type {HTMLAnchorElement | null} */ (document.querySelector("a[data-whole]"));
  if (whole) whole.href = `/${url.search}${url.hash}`;
}

/** Skips to the content without changing the hash, which may hold matrices. */
export function skipInPlace() {
  find(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    find("#main").focus();
  });
}
