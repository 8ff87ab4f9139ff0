import assert from "node:assert/strict";
import test from "node:test";
import { DEFAULT_VIEW, MODEL, PRECISIONS, QUESTION, TABS, VIEW } from "../../../../static/js/core/address/fields.js";
import { MATRICES } from "../../../../static/js/core/question.js";
import { page } from "../../support/sent.js";

test("what an address says nothing of has the value of its row", () => {
  assert.deepEqual(Object.keys(DEFAULT_VIEW), Object.keys(VIEW));
  for (const [name, { initial }] of Object.entries(VIEW)) assert.equal(DEFAULT_VIEW[name], initial);
});

test("a first value that says something is read as it would be written", () => {
  for (const [name, { kind, initial }] of Object.entries(VIEW)) {
    if (initial === null || ["heads", "skip", "present"].includes(name)) continue; // nothing is written of these
    assert.deepEqual(kind.parse(kind.print(initial)), initial, name);
  }
});

test("whatever a model has by default has a row; its matrices are no fields, and a digest is found by its name", () => {
  const rows = new Set(Object.entries(MODEL).map(([name, { of }]) => of ?? name));
  for (const [source, defaults] of Object.entries(page.models))
    for (const name of Object.keys(defaults))
      assert.ok(rows.has(name) || name === "digest" || MATRICES.includes(name), `${source}.${name}`);
});

test("no name stands for two things", () => {
  const names = [QUESTION, MODEL, VIEW].flatMap((rows) => Object.keys(rows));
  assert.equal(new Set(names).size, names.length);
});

test("tabs, decimals and the presentation are read by their words alone", () => {
  for (const tab of TABS) assert.equal(VIEW.tab.kind.parse(tab), tab);
  for (const decimals of PRECISIONS) assert.equal(VIEW.precision.kind.parse(String(decimals)), decimals);
  assert.equal(VIEW.tab.kind.parse("nowhere"), undefined);
  assert.equal(VIEW.precision.kind.parse("5"), undefined);
  assert.deepEqual([VIEW.present.kind.print(true), VIEW.present.kind.parse("true")], ["1", undefined]);
});

const asked = [...Object.keys(QUESTION), ...Object.keys(MODEL), "source", "t"];
const both = ["a", "b"].flatMap((side) => asked.map((name) => `${side}.${name}`));

for (const [path, names] of [
  ["/", [...asked, ...Object.keys(VIEW)]],
  ["/embed", [...asked, ...Object.keys(VIEW)]],
  ["/compare", [...both, ...Object.keys(VIEW), "align", "of"]],
  ["/learn/scores", ["text", "seed"]],
])
  test(`the server takes at ${path} what the scripts write, and nothing else`, async () => {
    const headers = { Accept: "application/json" };
    const reply = await fetch(`${process.env.ATTNSCOPE_URL}${path}?nonsense=1`, { headers });
    assert.equal(reply.status, 422);
    const [, known] = (await reply.json()).detail.match(/: (.*)\.$/);
    assert.deepEqual(known.split(", ").sort(), [...names, "lang"].sort());
  });
