/** Notice shown while the session is missing or expired. */

import { SESSION, isKnown } from "../core/api.js";
import { find, h } from "../lib/dom.js";

/** @param {Location | URL} here */
function signInAddress({ pathname, search, hash }) {
  const query = new URLSearchParams({ next: pathname + search });
  const lang = new URLSearchParams(search).get("lang");
  if (lang) query.set("lang", lang);
  return `/sign-in?${query}${hash}`;
}

/** @param {Page} page */
export function watchSession({ messages }) {
  const link = h("a", { class: "button main", href: "/sign-in" }, messages["sign_in.enter"]);
  link.addEventListener("click", () => link.setAttribute("href", signInAddress(location)));
  const notice = h("p", { class: "signed-out", role: "alert" }, h("strong", {}, messages["sign_in.ended"]), link);
  const update = () => (isKnown() ? notice.remove() : find("#main").prepend(notice));
  document.addEventListener(SESSION, update);
  update(); // the session may have ended before
}
