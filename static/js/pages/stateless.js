import { updateHeader } from "../shell/header.js";

updateHeader();
document.querySelector("[data-print]")?.addEventListener("click", () => print());
