import assert from "node:assert/strict";
import test from "node:test";
import { Lru, newest, memoize } from "../../../static/js/lib/newest.js";

/** A request that the test answers. */
function open() {
  const calls = [];
  const ask = (signal) => new Promise((resolve, reject) => calls.push({ signal, resolve, reject }));
  return { calls, ask };
}

test("only the newest request is answered, and the one before is aborted", async () => {
  const { calls, ask } = open();
  const answers = [];
  const { want } = newest((found) => answers.push(found), assert.fail);
  const both = [want("a", ask), want("b", ask)];
  assert.equal(calls[0].signal.aborted, true);
  calls[1].resolve("b");
  calls[0].resolve("a");
  await Promise.all(both);
  assert.deepEqual(answers, ["b"]);
});

test("what is wanted already is not asked again, until something else was", async () => {
  const { calls, ask } = open();
  const { want } = newest(() => {}, assert.fail);
  for (const key of ["a", "a", "b", "a"]) want(key, ask);
  assert.equal(calls.length, 3);
});

test("a failure is reported once, and never of a request that was overtaken", async () => {
  const { calls, ask } = open();
  const failures = [];
  const { want } = newest(assert.fail, (error) => failures.push(error));
  const both = [want("a", ask), want("b", ask)];
  calls[0].reject("late");
  calls[1].reject("own");
  await Promise.all(both);
  assert.deepEqual(failures, ["own"]);
});

test("a dropped request is not answered, and can be wanted again", async () => {
  const { calls, ask } = open();
  const answers = [];
  const { want, drop } = newest((found) => answers.push(found), assert.fail);
  const first = want("a", ask);
  drop();
  calls[0].resolve("dropped");
  await first;
  const second = want("a", ask);
  calls[1].resolve("again");
  await second;
  assert.deepEqual(answers, ["again"]);
});

test("what is there at once is passed on at once", () => {
  const answers = [];
  const { want } = newest((found) => answers.push(found), assert.fail);
  want("a", () => "known");
  assert.deepEqual(answers, ["known"]);
});

test("an error that nobody expects is thrown to who asked", async () => {
  const { want } = newest(assert.fail, (error) => {
    throw error;
  });
  await assert.rejects(
    want("a", () => Promise.reject(new Error("broken"))),
    /broken/,
  );
});

test("a memory forgets what was not asked for longest", () => {
  const memory = new Lru(2);
  memory.set("a", 1);
  memory.set("b", 2);
  assert.equal(memory.get("a"), 1);
  memory.set("c", 3);
  assert.equal(memory.get("b"), undefined);
  assert.equal(memory.get("a"), 1);
  memory.delete("a");
  assert.equal(memory.get("a"), undefined);
});

test("a question of many goes out once; a failed one goes out again", async () => {
  const recall = memoize(2);
  let times = 0;
  const ask = () => Promise.resolve(++times);
  assert.deepEqual(await Promise.all([recall("a", ask), recall("a", ask)]), [1, 1]);
  await assert.rejects(recall("b", () => Promise.reject(new Error("no"))));
  assert.equal(await recall("b", ask), 2);
});
