import assert from "node:assert/strict";
import test from "node:test";
import { addedFirstNote, withFirstNote } from "../../../static/js/core/added-first-token.js";
import { metricsOf } from "../../../static/js/heads/head-metrics.js";
import { newDocument } from "../support/document.js";
import { stateOf, storeOf } from "../support/state.js";

newDocument();

const store = storeOf("cat");
const { t } = store;
const SAID = "The first token, <s>, is no part of your text: the model's tokenizer added it.";

/** A text behind <s>, or one without it. @param {boolean} added @param {object} [more] of the reply */
function stateAt(added, more = {}) {
  const state = stateOf("cat");
  const { reply } = state.answer;
  const [tokens] = reply.tokens;
  const own = { tokens: [["<s>", ...tokens.slice(1)]], added: [tokens.map((_, at) => added && at === 0)] };
  return { ...state, answer: { reply: { ...reply, ...own, ...more } } };
}

test("a first token that was added is named, in layers whose keys are the text", () => {
  assert.equal(addedFirstNote(t, stateAt(true), 0), SAID);
  assert.equal(addedFirstNote(t, stateAt(false), 0), "");
  assert.equal(addedFirstNote(t, stateAt(true, { context_lengths: [3] }), 0), "");
  const pair = { context_lengths: [3], encoder_layers: 1, attends_to: ["self", "self", "context"] };
  const said = [0, 1, 2].map((layer) => addedFirstNote(t, stateAt(true, pair), layer));
  assert.deepEqual(said, ["", SAID, ""]);
  assert.equal(addedFirstNote(t, stateAt(true, { tokens: null, added: null }), 0), "");
});

test("it is said once of what is about the first token, and of nothing else", () => {
  const about = t("metric.about.first");
  const once = withFirstNote(t, stateAt(true), 0, about);
  assert.equal(once, `${about}\n${SAID}`);
  assert.equal(withFirstNote(t, stateAt(true), 0, once), once);
  assert.equal(withFirstNote(t, stateAt(false), 0, about), about);
  const other = t("metric.about.previous");
  assert.equal(withFirstNote(t, stateAt(true), 0, other), other);
});

test("the metrics of a head say it below them", () => {
  const metrics = [{ layer: 0, head: 0, first: 0.9, previous: 0.1 }];
  const shown = (added) => {
    const root = document.createElement("div");
    root.append(...metricsOf(store, { ...stateAt(added), metrics }).filter(Boolean));
    return root;
  };
  assert.equal(shown(true).querySelector("p").textContent, SAID);
  assert.ok(shown(true).querySelector("h3").getAttribute("title").endsWith(SAID));
  assert.equal(shown(false).querySelector("p"), null);
});
