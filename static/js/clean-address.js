/* Takes the parameters that say where a visitor came from out of the address, before any script of the page reads it. */
"use strict";

(() => {
  const { content = "" } =
    /** @type {HTMLMetaElement | null} */ (document.querySelector('meta[name="clean-address"]')) ?? {};
  if (content) history.replaceState(history.state, "", content + location.hash);
})();
