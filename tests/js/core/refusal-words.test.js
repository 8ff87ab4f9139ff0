import assert from "node:assert/strict";
import test from "node:test";
import { Problem } from "../../../static/js/core/api.js";
import { passingWords, refusal, refusalWords } from "../../../static/js/core/refusal-words.js";
import { newDocument } from "../support/document.js";
import { page } from "../support/sent.js";
import { storeOf } from "../support/state.js";

const store = { t: (key) => page.messages[key] };
const LARGE = new Problem({ status: 413, code: "too_large", detail: "Ask for /traces/(id)/stages with ?rows=0:64." });

test("what is too large is shown without the words of the API, and with what to do", () => {
  assert.equal(refusalWords(store, LARGE), page.messages["long.much"]);
  assert.equal(refusalWords(store, LARGE, "share.too_large"), page.messages["share.too_large"]);
  for (const key of ["long.much", "share.too_large"]) assert.doesNotMatch(page.messages[key], /GET|\/|\?|_tokens/);
});

test("anything else is shown as the server says it, and its silence as silence", () => {
  assert.equal(refusalWords(store, new Problem({ code: "busy", detail: "Wait a moment." })), "Wait a moment.");
  assert.equal(refusalWords(store, new Problem({})), page.messages["problem.offline"]);
});

test("what is asked for again by itself says so, after what has happened", () => {
  const { messages } = page;
  const offline = `${messages["problem.offline_title"]} ${messages["problem.retrying"]}`;
  assert.equal(passingWords(store, new Problem({ status: 503 })), offline);
  assert.equal(passingWords(store, new Problem({ status: 422, code: "invalid", detail: "No." })), "No.");
  assert.equal(passingWords(store, LARGE, "worth.much"), messages["worth.much"]);
});

test("what may have more luck with another try can be tried again", () => {
  newDocument();
  const asked = storeOf("cat");
  /** @type {any[]} */
  const [words, , again] = refusal(asked, new Problem({ code: "busy", status: 503, detail: "Wait a moment." }));
  assert.deepEqual(
    [words, again.textContent],
    [`Wait a moment. ${page.messages["problem.soon"]}`, page.messages["problem.again"]],
  );
  again.click();
  assert.equal(asked.get().attempt, 1);
  assert.equal(refusal(asked, LARGE)[2], false);
});
