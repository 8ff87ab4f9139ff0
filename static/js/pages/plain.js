/** A page without a state: header links follow the address, and worksheets print. */

import { updateHeader } from "../shell/header.js";

updateHeader();
document.querySelector("[data-print]")?.addEventListener("click", () => print());
