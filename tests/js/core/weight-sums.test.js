import assert from "node:assert/strict";
import test from "node:test";
import { sumsOf, weightsInView } from "../../../static/js/core/weight-sums.js";
import { page } from "../support/sent.js";
import { stateOf } from "../support/state.js";

const SHUT = -Infinity;
/** Three queries over three keys, causal. */
const MAP = {
  values: [1, 0, 0, 0.25, 0.75, 0, 0.5, 0.125, 0.375],
  holes: [0, SHUT, SHUT, 0, 0, SHUT, 0, 0, 0],
  rows: 3,
  cols: 3,
};

test("where a query looks: its row, without what is masked", () => {
  const { entries, total } = sumsOf(MAP, "query", [1], "bars");
  assert.deepEqual(entries, [
    { at: 0, weight: 0.25 },
    { at: 1, weight: 0.75 },
  ]);
  assert.equal(total, 1);
});

test("what looks at a key: its column", () => {
  assert.deepEqual(sumsOf(MAP, "key", [1], "bars").entries, [
    { at: 1, weight: 0.75 },
    { at: 2, weight: 0.125 },
  ]);
});

test("several tokens are summed, and one open cell is enough", () => {
  const { entries, total } = sumsOf(MAP, "query", [0, 2], "bars");
  assert.deepEqual(
    entries.map(({ weight }) => weight),
    [1.5, 0.125, 0.375],
  );
  assert.equal(total, 2);
});

test("the entropy is that of the shares, in nats", () => {
  const { entropy } = sumsOf(MAP, "query", [1], "bars");
  assert.ok(Math.abs(entropy - (0.25 * Math.log(4) + 0.75 * Math.log(4 / 3))) < 1e-15);
  const even = { values: [0.5, 0.5], rows: 1, cols: 2 };
  assert.ok(Math.abs(sumsOf(even, "query", [0], "bars").entropy - Math.LN2) < 1e-15);
  assert.equal(sumsOf(MAP, "query", [0], "bars").entropy, 0);
});

test("tokens beyond the end of another sentence are left out", () => {
  assert.deepEqual(sumsOf(MAP, "query", [7], "bars"), { entries: [], total: 0, entropy: 0 });
});

test("among the stages the selected head's weights are seen, elsewhere those of the chosen heads", () => {
  const own = (head) => [
    ...stateOf("cat")
      .answer.tensors.get("layers.0.weights")
      .values.subarray(25 * head, 25 * (head + 1)),
  ];
  const stages = stateOf("cat", { head: 1, heads: [[0, 0]] });
  assert.deepEqual(Array.from(weightsInView(page, stages).values), own(1));
  const every = { answer: stages.answer, masked: { answer: stages.answer, layer: 0, head: 0 } };
  const both = {
    ...stages,
    every,
    view: {
      ...stages.view,
      tab: "heads",
      heads: [
        [0, 0],
        [0, 1],
      ],
    },
  };
  const [one, other] = [own(0), own(1)];
  const mean = weightsInView(page, both).values;
  one.forEach((value, at) => assert.ok(Math.abs(mean[at] - (value + other[at]) / 2) < 1e-15));
});

test("before every head has come, one head is seen as the stages show it, and several not yet", () => {
  const waiting = stateOf("cat", { tab: "heads", head: 1 });
  assert.equal(weightsInView(page, waiting).rows, 5);
  assert.equal(weightsInView(page, { ...waiting, answer: null }), null);
});
