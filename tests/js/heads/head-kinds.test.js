import assert from "node:assert/strict";
import test from "node:test";
import { named } from "../../../static/js/heads/found-heads.js";

test("heads that have a name on the random tokens are told, the clearest first", () => {
  const heads = [
    [{ previous: 0.74 }, { own: 0.3 }],
    [{ induction: 0.97 }, { previous: 0.5, induction: 0.5 }],
  ];
  const rows = named({ length: 32, repeats: 2, heads, copied: 1 });
  assert.deepEqual(
    rows.map(({ layer, head, value }) => [layer, head, value]),
    [
      [1, 0, 0.97],
      [0, 0, 0.74],
    ],
  );
});
