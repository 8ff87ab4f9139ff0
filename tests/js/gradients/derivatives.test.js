import assert from "node:assert/strict";
import test from "node:test";
import * as gradients from "../../../static/js/gradients/derivatives.js";
import { stageOf } from "../../../static/js/core/page.js";
import { settle } from "../support/clock.js";
import { answerOf, file, tensor } from "../support/made.js";
import { later, offline, serve } from "../support/server.js";
import { page } from "../support/sent.js";
import { stateOf } from "../support/state.js";

const { Derivatives, jacobianOf, objectiveOf, rowOf, startDeriving } = gradients;
const SHUT = -Infinity;
const HERE = { batch: 0, layer: 0, head: 0 };
const inputs = JSON.stringify({ objective: { kind: "sum", at: "output" }, mathml: {} });
const bytesOf = (stages) =>
  file(
    { attnscope: inputs },
    Object.fromEntries(Object.entries(stages).map(([name, all]) => [`layers.0.${name}`, tensor(all)])),
  );
const objective = (at, row = null, col = null) => ({ at, row, col });

test("f is the sum of the output, the norm of a row, or one number of it", () => {
  const of = (...place) => objectiveOf(stateOf("cat", { objective: objective(...place) }));
  assert.deepEqual(of("output"), { kind: "sum", at: "output" });
  assert.deepEqual(of("output", 2), { kind: "row_norm", at: "output", row: 2, batch: 0 });
  assert.deepEqual(of("block_output", 2, 3), { kind: "cell", at: "block_output", row: 2, batch: 0, col: 3 });
});

test("a place beyond the answer is brought inside", () => {
  const of = /** @type {any} */ (objectiveOf(stateOf("cat", { objective: objective("output", 99, 99) })));
  assert.deepEqual([of.row, of.col], [4, 7]); // five tokens, d_model 8
});

test("the row whose softmax is looked at is that of the pinned map, of f, or the last", () => {
  const row = (view) => rowOf(page, stateOf("cat", view));
  assert.equal(row({ cell: { stage: "weights", row: 1, col: 0 }, objective: objective("output", 2) }), 1);
  assert.equal(row({ cell: { stage: "q", row: 1, col: 0 }, objective: objective("output", 2) }), 2);
  assert.equal(row({}), 4);
});

test("the Jacobian of a softmax equals its central differences", () => {
  const state = stateOf("cat");
  const scores = [...state.answer.tensors.get("layers.0.masked_scores").values.subarray(20, 25)]; // the last row sees every key
  const softmax = (of) => {
    const exps = of.map(Math.exp);
    const sum = exps.reduce((total, each) => total + each, 0);
    return exps.map((each) => each / sum);
  };
  const { values, rows, size, norm } = jacobianOf(page, state, 4);
  assert.equal(rows, 5);
  const step = 1e-6;
  for (let j = 0; j < 5; j++) {
    const [up, down] = [step, -step].map((by) => softmax(scores.map((score, at) => score + (at === j ? by : 0))));
    for (let i = 0; i < 5; i++) assert.ok(Math.abs(values[5 * i + j] - (up[i] - down[i]) / (2 * step)) < 1e-8);
  }
  assert.equal(size, Math.max(...values.map(Math.abs)));
  assert.ok(Math.abs(norm - Math.hypot(...values)) < 1e-12);
});

test("what is masked is closed in the Jacobian, and a very long row has none", () => {
  const rows = {
    weights: [
      [
        [
          [1, 0],
          [0.5, 0.5],
        ],
      ],
    ],
    masked_scores: [
      [
        [
          [1, SHUT],
          [1, 1],
        ],
      ],
    ],
  };
  const state = { ...stateOf("cat"), answer: answerOf(rows) };
  assert.deepEqual([...jacobianOf(page, state, 0).values], [0, SHUT, SHUT, SHUT]);
  assert.deepEqual([...jacobianOf(page, state, 1).values], [0.25, -0.25, -0.25, 0.25]);
  const n = page.limits.max_jacobian_keys + 1;
  const long = [[[Array(n).fill(1 / n)]]];
  const wide = answerOf({ weights: long, masked_scores: long }, { lengths: [1], shape: { n: 1, m: n } });
  assert.equal(jacobianOf(page, { ...state, answer: wide }, 0), null);
});

test("derivatives are drawn like an answer, closed where that is closed", () => {
  const of = answerOf({
    masked_scores: [
      [
        [
          [1, SHUT],
          [1, 1],
        ],
      ],
    ],
    x: [
      [
        [1, 2],
        [3, 4],
      ],
    ],
  });
  const derived = new Derivatives(
    bytesOf({
      weights: [
        [
          [
            [3, 9],
            [-6, 1],
          ],
        ],
      ],
      x: [
        [
          [1, 2],
          [3, 4],
        ],
      ],
    }),
    of,
  );
  assert.deepEqual([...derived.block(stageOf(page, "weights"), HERE).values], [3, SHUT, -6, 1]);
  assert.deepEqual([...derived.block(stageOf(page, "x"), HERE).values], [1, 2, 3, 4]);
  assert.deepEqual(derived.extent(stageOf(page, "weights"), HERE), { size: 6, most: 3 });
  assert.notEqual(derived.reply.trace, of.reply.trace);
  assert.deepEqual(derived.reply.tokens, of.reply.tokens);
});

test("a bias is one row, and what is 0 but for rounding has the scale of the rest", () => {
  const of = answerOf({});
  const derived = new Derivatives(
    bytesOf({
      b_k: [1e-16, 0],
      w_q: [
        [1, 2],
        [3, 4],
      ],
    }),
    of,
  );
  const { rows, cols } = derived.block(stageOf(page, "b_k"), HERE);
  assert.deepEqual([rows, cols], [1, 2]);
  assert.deepEqual(derived.extent(stageOf(page, "b_k"), HERE), { size: 4, most: 4 });
});

test("derivatives are asked for as what is shown changes, and the last one wins", async () => {
  const slow = later();
  const seen = [];
  const asked = serve(({ body }) => (body.objective.row === 0 ? slow.reply : bytesOf({ x: [[[1]]] })));
  const derive = startDeriving(["x", "q"], (found, problem) => seen.push(found ? "found" : problem.code));
  const state = stateOf("cat");
  const at = (row) => ({ ...state, view: { ...state.view, objective: objective("output", row) } });
  derive(at(0));
  derive(at(1));
  derive(at(1));
  slow.give(bytesOf({}));
  await settle();
  await settle();
  assert.deepEqual([seen, asked.length], [["found"], 2]);
  serve(offline);
  derive(at(2));
  await settle();
  await settle();
  assert.deepEqual(seen, ["found", "offline"]);
});
