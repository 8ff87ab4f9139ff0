/** Buttons "Try it", which send the request and show the reply. */

import { send } from "../core/any-reply.js";
import { readPage } from "../core/page.js";
import { find } from "../lib/dom.js";
import { createStore } from "../lib/store.js";
import { updateHeader } from "../shell/header.js";

const SHOWN = 20_000; // characters; a longer reply is cut

const { t } = createStore(readPage(), {});

/** @param {HTMLFormElement} form */
function addressOf(form) {
  let path = form.dataset.path ?? "/";
  const query = new URLSearchParams();
  for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("input[data-in]"))) {
    const value = input.value.trim();
    if (input.dataset.in === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(value));
    else if (input.dataset.in === "query" && value) query.append(input.name, value);
  }
  return query.size ? `${path}?${query}` : path;
}

/** @param {string} text */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text; // the text is not JSON
  }
}

/** @param {string} text */
function cut(text) {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}\n${t("api.cut", { more: text.length - SHOWN })}` : text;
}

/** @param {HTMLFormElement} form */
async function ask(form) {
  const [outcome, reply] = [find(".outcome", form), find(".reply", form)];
  const body = form.querySelector("textarea")?.value ?? null;
  outcome.textContent = t("api.sending");
  try {
    const { status, type, text, bytes, ms } = await send(form.dataset.method ?? "GET", addressOf(form), body);
    outcome.textContent = t("api.reply", { status, ms: ms.toFixed(0), bytes });
    outcome.classList.toggle("error", status >= 400);
    reply.textContent = text ? cut(pretty(text)) : bytes ? t("api.binary", { type }) : "";
    reply.hidden = bytes === 0;
  } catch {
    outcome.textContent = t("problem.offline");
    outcome.classList.add("error");
  }
}

for (const form of document.querySelectorAll("form[data-path]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask(/** @type {HTMLFormElement} */ (form));
  });
}
updateHeader();
