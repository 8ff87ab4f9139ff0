import assert from "node:assert/strict";
import test from "node:test";
import { pageAddress } from "../../../static/js/core/page-address.js";

test("a page is linked in the language that the address asks for", (t) => {
  const before = globalThis.location;
  t.after(() => (globalThis.location = before));
  globalThis.location = { search: "?seed=2" };
  assert.deepEqual([pageAddress("/models"), pageAddress("/", { t: "a b" })], ["/models", "/?t=a+b"]);
  globalThis.location = { search: "?seed=2&lang=zh" };
  assert.deepEqual([pageAddress("/models"), pageAddress("/", { t: "a" })], ["/models?lang=zh", "/?t=a&lang=zh"]);
});
