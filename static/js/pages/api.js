/** Buttons "Try it" send the request and show the reply. */

import { send } from "../core/any-reply.js";
import { readPage } from "../core/page.js";
import { find } from "../lib/dom.js";
import { newest } from "../lib/newest.js";
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
    return text;
  }
}

/** @param {string} text */
function cut(text) {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}\n${t("api.cut", { more: text.length - SHOWN })}` : text;
}

/** @param {HTMLFormElement} form */
function offer(form) {
  const [outcome, reply] = [find(".outcome", form), find(".reply", form)];
  const { want, drop } = newest(
    (/** @type {Awaited<ReturnType<typeof send>>} */ { status, type, text, bytes, ms }) => {
      outcome.textContent = t("api.reply", { status, ms: ms.toFixed(0), bytes });
      outcome.classList.toggle("error", status >= 400);
      reply.textContent = text ? cut(pretty(text)) : bytes ? t("api.binary", { type }) : "";
      reply.hidden = bytes === 0;
    },
    () => {
      outcome.textContent = t("problem.offline");
      outcome.classList.add("error");
      reply.hidden = true;
    },
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const body = form.querySelector("textarea")?.value ?? null;
    outcome.textContent = t("api.sending");
    drop();
    want("", () => send(form.dataset.method ?? "GET", addressOf(form), body));
  });
  for (const button of form.querySelectorAll("button")) button.disabled = false;
}

for (const form of document.querySelectorAll("form[data-path]")) offer(/** @type {HTMLFormElement} */ (form));
updateHeader();
