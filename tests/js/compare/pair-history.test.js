import assert from "node:assert/strict";
import test from "node:test";
import { fetchNamed, keepLong } from "../../../static/js/compare/pair-history.js";
import { Problem } from "../../../static/js/core/api.js";
import { findKept, keptName } from "../../../static/js/core/address/long-questions.js";
import { asQuestion } from "../../../static/js/core/question.js";
import { openAddress } from "../support/address-bar.js";
import { offline, refused, serve } from "../support/server.js";
import { page } from "../support/sent.js";

const trace = (letter) => letter.repeat(32);
const long = () => asQuestion(page, { x: Array.from({ length: 4000 }, (_, at) => [at + 0.123456]) });

test("the questions that an address names by their traces are fetched, once each", async () => {
  openAddress(`/compare?a.t=${trace("a")}&b.t=${trace("b")}`);
  const asked = serve(({ path }) => ({ text: path.includes(trace("a")) ? "one" : "two" }));
  await fetchNamed(page);
  assert.deepEqual(
    asked.map(({ path }) => path),
    [trace("a"), trace("b")].map((name) => `/api/v1/traces/${name}/question`),
  );
  assert.deepEqual([findKept(trace("a")).text, findKept(trace("b")).text], ["one", "two"]);
  await fetchNamed(page);
  assert.equal(asked.length, 2);
});

test("a question that cannot be had is left out, and the other is fetched", async () => {
  openAddress(`/compare?a.t=${trace("c")}&b.t=${trace("d")}`);
  serve(({ path }) => (path.includes(trace("c")) ? refused(404, "unknown_trace") : { text: "two" }));
  await fetchNamed(page);
  assert.deepEqual([findKept(trace("c")), findKept(trace("d")).text], [undefined, "two"]);
  serve(offline);
  openAddress(`/compare?a.t=${trace("e")}`);
  await fetchNamed(page);
  assert.equal(findKept(trace("e")), undefined);
});

test("what is no refusal is an error", async () => {
  openAddress(`/compare?a.t=${trace("f")}`);
  serve(() => new Response("no JSON"));
  await assert.rejects(fetchNamed(page), (error) => !(error instanceof Problem));
});

test("a question that fits the address has no name", () => {
  openAddress("/compare");
  const short = asQuestion(page, { text: "a" });
  assert.equal(keepLong(short, undefined, page), false);
  assert.equal(keptName(short), undefined);
});

test("a long question has a name of the tab's own until its trace is known", () => {
  openAddress("/compare");
  const question = long();
  assert.equal(keepLong(question, undefined, page), true);
  assert.match(keptName(question), /^new-\d+$/);
  assert.equal(keepLong(question, undefined, page), false); // the same name again
  assert.equal(keepLong(question, trace("9"), page), true);
  assert.equal(keptName(question), trace("9"));
  assert.equal(findKept(trace("9")), question);
  assert.equal(keepLong(question, trace("9"), page), false);
});
