import assert from "node:assert/strict";
import test from "node:test";
import { DEFAULT_VIEW } from "../../../../static/js/core/address/fields.js";
import { findKept } from "../../../../static/js/core/address/long-questions.js";
import { openShared, shortLink } from "../../../../static/js/core/address/short-link.js";
import { asQuestion } from "../../../../static/js/core/question.js";
import { openAddress } from "../../support/address-bar.js";
import { settle, stopClock } from "../../support/clock.js";
import { later, offline, refused, serve } from "../../support/server.js";
import { page } from "../../support/sent.js";

const clock = stopClock();
const trace = (letter) => letter.repeat(32);

test("a short link names the question by its trace and says the view", () => {
  openAddress("/?text=a%20long%20one&lang=zh");
  const state = { question: asQuestion(page, { text: "a long one" }), view: { ...DEFAULT_VIEW, head: 3 } };
  assert.equal(shortLink(state, trace("a"), page), `http://attnscope.test/?t=${trace("a")}&head=3`);
  const plain = shortLink({ ...state, view: DEFAULT_VIEW }, trace("a"), page);
  assert.equal(plain, `http://attnscope.test/?t=${trace("a")}`);
});

test("opened, its question stands in the address, beside what the link says of the view", async () => {
  const bar = openAddress(`/?t=${trace("a")}&head=3`);
  const asked = serve(() => ({ text: "a cat", temperature: 2 }));
  assert.equal(await openShared(page), null);
  assert.equal(asked[0].path, `/api/v1/traces/${trace("a")}/question`);
  assert.equal(bar.href, "/?text=a%20cat&temperature=2&head=3");
  assert.equal(bar.entries.length, 1); // no step of its own
});

test("a question too long for the address stays under its trace", async () => {
  const bar = openAddress(`/?t=${trace("b")}`);
  serve(() => ({ x: Array.from({ length: 4000 }, (_, at) => [at + 0.123456]) }));
  await openShared(page);
  assert.equal(bar.href, `/?t=${trace("b")}`);
  assert.equal(findKept(trace("b")).x.length, 4000);
});

test("a question that cannot be had is a problem, and the address is that of a plain page", async () => {
  const bar = openAddress(`/?t=${trace("c")}&head=3`);
  serve(() => refused(404, "unknown_trace"));
  const problem = await openShared(page);
  assert.equal(problem.code, "unknown_trace");
  assert.equal(bar.href, "/");
});

test("a server that is gone is asked again after 1, 2 and 4 seconds, and no more", async () => {
  openAddress(`/?t=${trace("d")}`);
  const asked = serve(offline);
  const opened = openShared(page);
  const tries = [];
  for (const seconds of [0, 1, 2, 4, 60]) {
    await clock.pass(1000 * seconds);
    tries.push(asked.length);
  }
  assert.deepEqual(tries, [1, 2, 3, 4, 4]);
  assert.equal((await opened).code, "offline");
});

test("where the reader has gone on meanwhile the address stays", async () => {
  const bar = openAddress(`/?t=${trace("e")}`);
  const { reply, give } = later();
  serve(() => reply);
  const opened = openShared(page);
  await settle();
  history.pushState(null, "", "/?text=mine");
  give({ text: "theirs" });
  assert.equal(await opened, null);
  assert.equal(bar.href, "/?text=mine");
});

test("where the reader has gone on before it is opened nothing is asked", async () => {
  const bar = openAddress("/?text=mine");
  const asked = serve(() => ({ text: "theirs" }));
  assert.equal(await openShared(page), null);
  assert.deepEqual([asked, bar.href], [[], "/?text=mine"]);
});
