/** A page without a state: the header's links follow the address, and a worksheet can be printed. */

import { updateHeader } from "../shell/header.js";

updateHeader();
document.querySelector("[data-print]")?.addEventListener("click", () => print());
