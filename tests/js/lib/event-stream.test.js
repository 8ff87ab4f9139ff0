import assert from "node:assert/strict";
import test from "node:test";
import { eventsOf, split } from "../../../static/js/lib/event-stream.js";

test("events end at an empty line, and what is not whole is left", () => {
  const { events, rest } = split('event: progress\ndata: {"step":1}\n\nevent: reply\ndata: {');
  assert.deepEqual(events, [{ event: "progress", data: '{"step":1}' }]);
  assert.equal(rest, "event: reply\ndata: {");
});

test("a comment is no event, and an event without a name is a message", () => {
  assert.deepEqual(split(": heartbeat\n\ndata: 1\n\n").events, [{ event: "message", data: "1" }]);
});

test("events are read however the bytes are cut", async () => {
  const bytes = new TextEncoder().encode('event: progress\ndata: {"t":"é"}\n\nevent: reply\ndata: [2]\n\n');
  for (const size of [1, 7, bytes.length]) {
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
    const found = [];
    for await (const each of eventsOf(body)) found.push(each);
    assert.deepEqual(found, [
      { event: "progress", data: { t: "é" } },
      { event: "reply", data: [2] },
    ]);
  }
});
