import assert from "node:assert/strict";
import test from "node:test";
import { fileOf } from "../../../static/js/core/file-of.js";
import { serve } from "../support/server.js";

const named = (headers) => new Response("{}", { headers });

test("a file has the name that the server gives it", async () => {
  serve(() => named({ "Content-Disposition": 'attachment; filename="trace.npz"' }));
  assert.equal((await fileOf("/somewhere")).name, "trace.npz");
  serve(() => named({}));
  assert.equal((await fileOf("/somewhere")).name, "attnscope");
});
