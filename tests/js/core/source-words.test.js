import assert from "node:assert/strict";
import test from "node:test";
import { sourceWords } from "../../../static/js/core/source-words.js";
import { page } from "../support/sent.js";

test("a model on the server is shown by its name and size, other weights by their source", () => {
  const store = { page, t: (key, values = {}) => [key, ...Object.values(values)].join(" ") };
  const [{ name, num_layers, num_heads }] = page.installed;
  const words = `source.installed ${name} ${num_layers} ${num_heads}`;
  assert.equal(sourceWords(store, { source: "installed", name }), words);
  assert.equal(sourceWords(store, { source: "installed", name: "gone" }), "gone");
  assert.equal(sourceWords(store, { source: "seeded" }), "source.seeded");
});
