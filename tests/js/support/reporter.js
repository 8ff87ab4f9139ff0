/** What failed and why, and one line in the end: what passes says nothing. */

import { inspect } from "node:util";

/** Name of the test that waits for the end of a file. */
export const END = "end of the file";

/** @param {AsyncIterable<{type: string, data: any}>} events of node's test runner */
export default async function* report(events) {
  let passed = 0;
  const failed = [];
  for await (const { type, data } of events) {
    if (type === "test:stdout" || type === "test:stderr") yield data.message;
    // An error after the end of its test fails the process alone.
    if (type === "test:diagnostic" && /after the test|Error/.test(data.message)) yield `${data.message}\n`;
    // A file, or a group of tests, fails with those in it and is not printed again.
    else if (type === "test:fail" && data.details.error?.failureType !== "subtestsFailed") failed.push(data);
    else if (type === "test:pass" && data.details.type !== "suite" && data.name !== END) passed += 1;
  }
  for (const { name, file, details } of failed) {
    const where = file?.replace(/.*\/(?=tests\/)/, "") ?? "";
    yield `\n✖ ${where} ${name}\n${inspect(details.error.cause ?? details.error)}\n`;
  }
  yield `${passed} tests of scripts passed, ${failed.length} failed\n`;
}
