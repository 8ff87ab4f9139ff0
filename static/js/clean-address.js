/* Removes tracking parameters from the address before other scripts read it. */
"use strict";

(() => {
  const { content = "" } =
    /** @type {HTMLMetaElement | null} */ (document.querySelector('meta[name="clean-address"]')) ?? {};
  if (content) history.replaceState(history.state, "", content + location.hash);
})();
