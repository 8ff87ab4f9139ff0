/* Removes tracking parameters before other scripts read the address. */
"use strict";

(() => {
  const { content = "" } =
    /** @type {HTMLMetaElement | null} */ (document.querySelector('meta[name="clean-address"]')) ?? {};
  if (content) history.replaceState(history.state, "", content + location.hash);
})();
