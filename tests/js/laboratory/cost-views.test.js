import assert from "node:assert/strict";
import test from "node:test";
import { kindTable, stageTable } from "../../../static/js/laboratory/cost-views.js";
import { newDocument } from "../support/document.js";
import { storeOf } from "../support/state.js";

newDocument();
const cost = (multiplications, bytes = 0) => ({
  multiplications,
  additions: 0,
  exponentials: 0,
  read_bytes: bytes,
  written_bytes: 0,
});
const rowsOf = (table) =>
  [...table.tBodies].map((body) => [...body.rows].map((row) => [...row.cells].map(({ textContent }) => textContent)));

test("stages and their sum stand first, then ways to compute the same", () => {
  const found = {
    stages: [{ stage: "q", ...cost(12, 2048) }],
    total: cost(12, 2048),
    projections: { three: cost(36), fused: cost(36) },
    generation: { without_cache: cost(4e9), with_cache: cost(5e6) },
  };
  const [stages, products, tokens] = rowsOf(stageTable(storeOf("cat"), found));
  assert.deepEqual(stages, [
    ["q", "12", "0", "0", "2 KiB", "0 B"],
    ["together", "12", "0", "0", "2 KiB", "0 B"],
  ]);
  assert.deepEqual(
    products.map(([name, count]) => [name, count]),
    [
      ["q, k and v in three products", "36"],
      ["q, k and v in one product", "36"],
    ],
  );
  assert.deepEqual(
    tokens.map(([, count]) => count),
    ["4.00×10⁹", "5.00×10⁶"],
  );
});

test("a layer is shown by its name, with what was published and what is counted", () => {
  const layers = [{ name: "recurrent", order: 10, sequential: 5, path: 5, multiplications: 20 }];
  assert.deepEqual(rowsOf(kindTable(storeOf("cat"), { layers })), [[["Recurrent", "10", "5", "5", "20"]]]);
});
