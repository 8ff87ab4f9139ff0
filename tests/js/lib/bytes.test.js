import assert from "node:assert/strict";
import test from "node:test";
import { formatBytes } from "../../../static/js/lib/bytes.js";

test("bytes are shown in the largest unit that leaves a number above one", () => {
  assert.deepEqual([0, 1, 1023, 1024, 1536, 2 ** 20, 5 * 2 ** 30, 2 ** 40].map(formatBytes), [
    "0 B",
    "1 B",
    "1023 B",
    "1 KiB",
    "1.5 KiB",
    "1 MiB",
    "5 GiB",
    "1 TiB",
  ]);
});

test("more than any unit holds is a power of ten", () => {
  assert.equal(formatBytes(2 ** 70), "1.1e+9 TiB");
});
