/** Marks of tokens that are no part of a text as it was typed. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { newDocument } from "../support/document.js";
import { startMarking } from "../../../static/js/stages/token-kinds.js";

const LABELS = ["[CLS] at 0", "the at 1", "[UNK] at 2"];
const REPLY = { added: [[true, false, false]], unknown: [[false, false, true]], context_lengths: null };

/** @type {Document} */
let page;
before(() => {
  page = newDocument();
  globalThis.MutationObserver = page.defaultView.MutationObserver;
});

/** Draws chips and both rows of the sentence. */
function draw() {
  const chips = LABELS.map((_, at) => `<li class="chip" data-at="${at}"></li>`).join("");
  const items = LABELS.map((label, at) => `<li data-at="${at}" title="${label}"></li>`).join("");
  const rows = ["query", "key"].map((axis) => `<ol class="sentence-tokens axis-${axis}">${items}</ol>`).join("");
  page.body.innerHTML = `<div id="tokens"><ol class="chips">${chips}</ol></div><div id="looks">${rows}</div>`;
}

/** @param {object} [reply] */
const storeOf = (reply = REPLY, batch = 0) =>
  /** @type {any} */ ({
    get: () => ({ answer: { reply }, view: { batch, layer: 0 } }),
    t: (/** @type {string} */ key) => key,
  });

/** @param {string} selector */
const kinds = (selector) =>
  [...page.querySelectorAll(selector)].map((each) => /** @type {HTMLElement} */ (each).dataset.kind ?? "");

test("tokens that were added and those without a piece are marked once, and keep their names", () => {
  draw();
  startMarking(storeOf());
  for (const place of [".chip", ".axis-query > li", ".axis-key > li"])
    assert.deepEqual(kinds(place), ["added", "", "unknown"], place);
  startMarking(storeOf());
  const titles = [...page.querySelectorAll(".axis-query > li")].map((each) => each.getAttribute("title"));
  assert.deepEqual(titles, ["[CLS] at 0. sentence.added", "the at 1", "[UNK] at 2. sentence.unknown"]);
  assert.equal(page.querySelector(".chip")?.getAttribute("title"), "sentence.added");
});

test("a line under the sentence names each token that was added or has no piece, and goes away with them", () => {
  draw();
  const seen = '<p class="seen-line"></p>';
  /** @type {Element} */ (page.querySelector("#looks")).innerHTML += seen;
  startMarking(storeOf({ ...REPLY, tokens: [["[CLS]", "the", "[UNK]"]] }));
  const line = /** @type {HTMLElement} */ (page.querySelector(".seen-line + .token-kinds"));
  const said = [...line.children].map(({ textContent }) => textContent);
  assert.deepEqual(said, ["[CLS] sentence.these_added", "[UNK] sentence.these_unknown"]);
  assert.equal(line.hidden, false);
  draw();
  /** @type {Element} */ (page.querySelector("#looks")).innerHTML += seen;
  startMarking(storeOf({ ...REPLY, added: null, unknown: null, tokens: [["the", "cat", "sat"]] }));
  assert.equal(/** @type {HTMLElement} */ (page.querySelector(".token-kinds")).hidden, true);
});

test("tokens of a context are not those of the text", () => {
  draw();
  startMarking(storeOf({ ...REPLY, context_lengths: [3] }));
  assert.deepEqual(kinds(".axis-key > li"), ["", "", ""]);
  assert.deepEqual(kinds(".axis-query > li"), ["added", "", "unknown"]);
});

test("the chip of a head that is called after the first token names it", () => {
  draw();
  const chips = ["metric.about.first", "metric.about.own"].map((about) => `<button title="0.1. ${about}"></button>`);
  const layers = `<div class="head-chips"><div class="layer">${chips.join("")}</div></div>`;
  /** @type {Element} */ (page.querySelector("#looks")).innerHTML += layers;
  startMarking(storeOf({ ...REPLY, tokens: [LABELS] }));
  const titles = [...page.querySelectorAll("button")].map((each) => each.getAttribute("title"));
  assert.deepEqual(titles, ["0.1. metric.about.first\nheads.first_added", "0.1. metric.about.own"]);
});

test("tokens of an encoder's layer are those of the context", () => {
  draw();
  startMarking(storeOf({ ...REPLY, context_lengths: [3], encoder_layers: 1 }));
  assert.deepEqual(kinds(".chip"), ["", "", ""]);
});

test("a sentence that the answer does not have yet is not marked", () => {
  draw();
  startMarking(storeOf(REPLY, 1));
  assert.deepEqual(kinds(".chip"), ["", "", ""]);
});

test("what is drawn later is marked too", async () => {
  draw();
  startMarking(storeOf());
  /** @type {Element} */ (page.querySelector(".chips")).innerHTML = '<li class="chip" data-at="0"></li>';
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(kinds(".chip"), ["added"]);
});
