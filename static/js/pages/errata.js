import { readPage } from "../core/page.js";
import { questionLink } from "../learn/lessons.js";
import { updateHeader } from "../shell/header.js";

updateHeader();
const page = readPage();
for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("a[data-question]")))
  link.href = String(questionLink(JSON.parse(link.dataset.question ?? "{}"), page));
