import assert from "node:assert/strict";
import test from "node:test";
import { typedPosition } from "../../../static/js/core/token-windows.js";
import { TokenSearch, fits, longChips } from "../../../static/js/stages/token-search.js";
import { settle } from "../support/clock.js";
import { newDocument } from "../support/document.js";
import { storeOf } from "../support/state.js";

newDocument();

/** A search over "the cat saw the dog", from its beginning. */
function search() {
  const found = [];
  const made = new TokenSearch(
    storeOf("cat"),
    "query",
    () => found.at(-1) ?? 0,
    (at) => found.push(at),
  );
  made.show(5);
  const type = async (text, more = {}) => {
    made.input.value = text;
    made.input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ...more }));
    await settle();
  };
  return { made, found, type };
}

test("a number names a place, where there is one", () => {
  assert.deepEqual(
    [typedPosition("4", 5), typedPosition("5", 5), typedPosition("x", 5), typedPosition("-1", 5)],
    [4, null, null, null],
  );
});

test("a token fits that has the text in it, in capitals or not", () => {
  assert.deepEqual([fits("Pot")(" Potter"), fits("POT")("spotted"), fits("pot")("top")], [true, true, false]);
});

test("Enter leads to the next, with Shift back, and a number to its place", async () => {
  const { found, type } = search();
  await type("the");
  await type("the");
  await type("the", { shiftKey: true });
  await type("4");
  assert.deepEqual(found, [3, 0, 3, 4]);
});

test("what is not found is shown until something else is typed", async () => {
  const { made, found, type } = search();
  await type("bird");
  assert.match(made.words.textContent, /“bird”/);
  made.input.dispatchEvent(new InputEvent("input"));
  assert.equal(made.words.textContent, "");
  await type(" ");
  await type("x", { key: "x" });
  await type("the", { isComposing: true });
  await type("the", { keyCode: 229 }); // as Safari reports it after the composition
  assert.deepEqual(found, []);
});

test("a text whose chips are all seen needs no search", () => {
  const { made } = search();
  made.show(0);
  assert.equal(made.root.hidden, true);
});

test("chips have a search of their own axis, and their tokens", () => {
  const long = longChips(storeOf("cat"), "key");
  long.want([0, 3]);
  assert.equal(
    long.search(
      () => 0,
      () => undefined,
    ).own,
    "key",
  );
});
