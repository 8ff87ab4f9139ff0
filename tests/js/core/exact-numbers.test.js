import assert from "node:assert/strict";
import test from "node:test";
import { ExactNumbers, squareAt } from "../../../static/js/core/exact-numbers.js";
import { settle, stopClock } from "../support/clock.js";
import { block } from "../support/pictures.js";
import { later, offline, serve } from "../support/server.js";

const clock = stopClock();
const place = (stage) => ({ stage, batch: 0, layer: 1, head: 2 });
const rows = (stage, from, to) => ({ ...place(stage), rows: [from, to], cols: [0, 2] });
const turns = async () => {
  for (let turn = 0; turn < 4; turn++) await settle();
};

/** Numbers of a trace, and how often some came. */
function start(reply, stages) {
  const asked = serve(reply);
  const seen = { came: 0 };
  const numbers = new ExactNumbers({ trace: "0a", stages }, { text: "a" }, () => (seen.came += 1));
  return { asked, numbers, seen };
}

test("a region is asked for once, and its cells are known when it has come", async () => {
  const { asked, numbers, seen } = start(() => block([[1, 2]]));
  const known = numbers.of(place("q"));
  assert.equal(numbers.want("row", [rows("q", 3, 4)]), false);
  assert.equal(known(3, 1), undefined);
  await turns();
  assert.deepEqual([known(3, 0), known(3, 1), known(4, 0), seen.came], [1, 2, undefined, 1]);
  assert.equal(numbers.want("other", [rows("q", 3, 4)]), true);
  assert.equal(asked.length, 1);
  assert.match(asked[0].path, /traces\/0a\/stages\/q\?layer=1&head=2&batch=0&rows=3:4&cols=0:2&format=safetensors/);
  assert.equal(numbers.of({ ...place("q"), head: 0 })(3, 0), undefined);
});

test("readers that want a region at one time share its request", async () => {
  const { asked, numbers } = start(() => block([[1, 2]]));
  numbers.want("row", [rows("q", 3, 4)]);
  numbers.want("other", [rows("q", 3, 4), rows("q", 4, 5)]);
  await turns();
  assert.deepEqual(
    asked.map(({ path }) => /rows=(\d)/.exec(path)?.[1]),
    ["3", "4"],
  );
});

test("a weight is closed where its score is", async () => {
  const { numbers } = start(({ path }) => block([path.includes("masked_scores") ? [0.5, -Infinity] : [1, 0]]));
  numbers.want("row", [rows("weights", 0, 1)]);
  await turns();
  const known = numbers.of(place("weights"));
  assert.deepEqual([known(0, 0), known(0, 1)], [1, -Infinity]);
});

test("a capture that has weights alone is not asked for scores, and no cell is closed", async () => {
  const { asked, numbers } = start(() => block([[1, 0]]), ["weights"]);
  numbers.want("row", [rows("weights", 0, 1)]);
  await turns();
  const known = numbers.of(place("weights"));
  assert.deepEqual([known(0, 0), known(0, 1), asked.length], [1, 0, 1]);
});

test("a capture that has scores closes a weight where its score is closed", async () => {
  const { numbers } = start(
    ({ path }) => block([path.includes("masked_scores") ? [0.5, -Infinity] : [1, 0]]),
    ["masked_scores", "weights"],
  );
  numbers.want("row", [rows("weights", 0, 1)]);
  await turns();
  assert.equal(numbers.of(place("weights"))(0, 1), -Infinity);
});

test("of one reader the last wish counts, and others have theirs", async () => {
  const slow = later();
  const { numbers, seen } = start(({ path }) => (path.includes("rows=0:1") ? slow.reply : block([[5, 6]])));
  numbers.want("seen", [rows("q", 0, 1)]);
  numbers.want("seen", [rows("q", 1, 2)]);
  numbers.want("row", [rows("q", 2, 3)]);
  await turns();
  slow.give(block([[1, 2]]));
  await turns();
  const known = numbers.of(place("q"));
  assert.deepEqual([known(0, 0), known(1, 0), known(2, 0), seen.came], [undefined, 5, 5, 2]);
});

test("the number under a pointer is asked for once it rests", async () => {
  const { asked, numbers, seen } = start(() => block([[1, 2]]));
  for (const at of [0, 1, 2]) {
    numbers.want("cell", [rows("q", at, at + 1)]);
    await clock.pass(20);
  }
  assert.equal(asked.length, 0);
  await clock.pass(60);
  await turns();
  assert.deepEqual([asked.length, seen.came, numbers.of(place("q"))(2, 1)], [1, 1, 2]);
});

test("without a server what is seen stays", async () => {
  const { numbers, seen } = start(offline);
  assert.equal(numbers.want("seen", [rows("q", 0, 1)]), false);
  await turns();
  assert.equal(seen.came, 0);
});

test("the square around a cell ends with the stage", () => {
  assert.deepEqual(squareAt({ row: 33, col: 5 }, { rows: 40, cols: 16 }), { rows: [32, 40], cols: [0, 16] });
});
