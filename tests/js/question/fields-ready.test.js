import assert from "node:assert/strict";
import test from "node:test";
import { expectFields, fieldsReady } from "../../../static/js/question/fields-ready.js";

test("who leads to a field waits for all that are expected, and for those they bring", async () => {
  const order = [];
  const later = (name, more) =>
    new Promise((resolve) => setTimeout(resolve, 5)).then(() => {
      order.push(name);
      more?.();
    });
  expectFields(later("drawer", () => expectFields(later("more"))));
  await fieldsReady();
  assert.deepEqual(order, ["drawer", "more"]);
});

test("where none is expected nobody waits", async () => {
  await fieldsReady();
});
