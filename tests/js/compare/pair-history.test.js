import assert from "node:assert/strict";
import test from "node:test";
import { fetchNamed, keepLong } from "../../../static/js/compare/pair-history.js";
import { Problem } from "../../../static/js/core/api.js";
import { keptAs, nameOfKept } from "../../../static/js/core/address/long-questions.js";
import { merged } from "../../../static/js/core/question.js";
import { openAddress } from "../support/address-bar.js";
import { offline, refused, serve } from "../support/server.js";
import { page } from "../support/sent.js";

const trace = (letter) => letter.repeat(32);
const long = () => merged(page, { x: Array.from({ length: 4000 }, (_, at) => [at + 0.123456]) });

test("the questions that an address names by their traces are fetched, once each", async () => {
  openAddress(`/compare?a.t=${trace("a")}&b.t=${trace("b")}`);
  const asked = serve(({ path }) => ({ text: path.includes(trace("a")) ? "one" : "two" }));
  await fetchNamed(page);
  assert.deepEqual(
    asked.map(({ path }) => path),
    [trace("a"), trace("b")].map((name) => `/api/v1/traces/${name}/question`),
  );
  assert.deepEqual([keptAs(trace("a")).text, keptAs(trace("b")).text], ["one", "two"]);
  await fetchNamed(page);
  assert.equal(asked.length, 2);
});

test("a question that cannot be had is left out, and the other is fetched", async () => {
  openAddress(`/compare?a.t=${trace("c")}&b.t=${trace("d")}`);
  serve(({ path }) => (path.includes(trace("c")) ? refused(404, "unknown_trace") : { text: "two" }));
  await fetchNamed(page);
  assert.deepEqual([keptAs(trace("c")), keptAs(trace("d")).text], [undefined, "two"]);
  serve(offline);
  openAddress(`/compare?a.t=${trace("e")}`);
  await fetchNamed(page);
  assert.equal(keptAs(trace("e")), undefined);
});

test("what is no refusal is an error", async () => {
  openAddress(`/compare?a.t=${trace("f")}`);
  serve(() => new Response("no JSON"));
  await assert.rejects(fetchNamed(page), (error) => !(error instanceof Problem));
});

test("a question that fits the address has no name", () => {
  openAddress("/compare");
  const short = merged(page, { text: "a" });
  assert.equal(keepLong(short, undefined, page), false);
  assert.equal(nameOfKept(short), undefined);
});

test("a long question has a name of the tab's own until its trace is known", () => {
  openAddress("/compare");
  const question = long();
  assert.equal(keepLong(question, undefined, page), true);
  assert.match(nameOfKept(question), /^new-\d+$/);
  assert.equal(keepLong(question, undefined, page), false); // the same name again
  assert.equal(keepLong(question, trace("9"), page), true);
  assert.equal(nameOfKept(question), trace("9"));
  assert.equal(keptAs(trace("9")), question);
  assert.equal(keepLong(question, trace("9"), page), false);
});
