import assert from "node:assert/strict";
import test from "node:test";
import { send } from "../../../static/js/core/any-reply.js";
import { newDocument } from "../support/document.js";
import { serve } from "../support/server.js";

newDocument();

test("in the reference errors are answers too", async () => {
  serve(
    () => new Response('{"code":"invalid"}', { status: 422, headers: { "Content-Type": "application/problem+json" } }),
  );
  const { status, type, text, bytes } = await send("POST", "/api/v1/attention", "{}");
  assert.deepEqual([status, type, text, bytes], [422, "application/problem+json", '{"code":"invalid"}', 18]);
  serve(() => new Response("PNG", { headers: { "Content-Type": "image/png" } }));
  assert.deepEqual((await send("GET", "/picture", null)).text, "");
});
