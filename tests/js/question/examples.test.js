import assert from "node:assert/strict";
import test from "node:test";
import { GROUPS, groupOf, inGroup } from "../../../static/js/question/examples.js";

const example = (id, question) => ({ id, title: id, about: "", question, figures: [] });
const ALL = [
  example("crafted-uniform", { text: "a", model: { source: "crafted", name: "uniform" } }),
  example("crafted-induction", { text: "a b a", model: { source: "crafted", name: "induction" } }),
  example("by-hand", { x: [[1]], model: { source: "explicit" } }),
  example("batch", { text: ["a", "b"] }),
  example("cross", { tokens: ["a"], context_tokens: ["b"], model: { source: "seeded" } }),
  example("sentence", { text: "a" }),
];

test("every example has one group", () => {
  assert.deepEqual(ALL.map(groupOf), ["pattern", "pattern", "hand", "texts", "texts", "languages"]);
  assert.equal(GROUPS.flatMap((group) => inGroup(ALL, group)).length, ALL.length);
});

test("what teaches most stands first", () => {
  const first = example("first", { text: "a", model: { source: "installed", name: "echo" } });
  assert.deepEqual(
    inGroup([...ALL, first], "pattern").map(({ id }) => id),
    ["first", "crafted-induction", "crafted-uniform"],
  );
});
