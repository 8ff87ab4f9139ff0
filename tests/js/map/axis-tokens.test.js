import assert from "node:assert/strict";
import test from "node:test";
import { Problem } from "../../../static/js/core/api.js";
import { AxisTokens } from "../../../static/js/map/axis-tokens.js";
import { settle } from "../support/clock.js";
import { reply } from "../support/made.js";

const none = () => assert.fail("nothing is to be asked");

test("of a short text the reply has them", async () => {
  const said = reply({ tokens: [["the", " cat"]], offsets: [[null, null]] });
  const tokens = new AxisTokens(said, "query", 0, none, none);
  tokens.want([0, 2]);
  assert.equal(tokens.nameOf(1), "·cat");
  assert.equal(tokens.wordOf(1), "cat");
  assert.deepEqual(await tokens.fetchAll(), ["the", " cat"]);
});

test("without tokens places are counted", () => {
  const tokens = new AxisTokens(reply({ tokens: null, offsets: [[null, null]] }), "key", 0, none, none);
  assert.equal(tokens.nameOf(1), "1");
  assert.equal(tokens.wordOf(1), "1");
});

/** Of a long text: its tokens are called t and their place. */
function long(size = 2500, fails = () => false) {
  const asked = [];
  let came = 0;
  const ask = async ([start, end]) => {
    asked.push([start, end]);
    if (fails()) throw new Problem({});
    return Array.from({ length: end - start }, (_, at) => `t${start + at}`);
  };
  const said = reply({ tokens: null, offsets: null, lengths: [size], shape: { n: size, m: size } });
  return { asked, calls: () => came, tokens: new AxisTokens(said, "query", 0, ask, () => (came += 1)) };
}

test("of a long one they come when they are looked at, a part at a time", async () => {
  const { tokens, asked, calls } = long();
  assert.equal(tokens.nameOf(1001), "1001");
  tokens.want([990, 1010]);
  tokens.want([1000, 1010]);
  await settle();
  assert.deepEqual(asked, [
    [0, 1000],
    [1000, 2000],
  ]);
  assert.equal(tokens.nameOf(1001), "t1001₁₀₀₁");
  assert.equal(tokens.wordOf(999), "t999₉₉₉");
  assert.equal(calls(), 2);
  assert.equal(tokens.wordOf(2400), "2400"); // out of sight
  assert.equal((await tokens.fetchAll()).length, 2500);
  assert.equal(tokens.wordOf(2400), "t2400₂₄₀₀");
  await tokens.fetchAll();
  assert.deepEqual(asked.slice(2), [[0, 2500]]);
});

test("from afar, where none has room, none is asked for", () => {
  const { tokens, asked } = long(131_072);
  tokens.want([0, 131_072]);
  assert.deepEqual(asked, []);
});

test("a part that does not come is asked for at the next look", async () => {
  let fails = true;
  const { tokens, asked } = long(900, () => fails);
  tokens.want([0, 10]);
  await settle();
  fails = false;
  tokens.want([0, 10]);
  await settle();
  assert.deepEqual(asked, [
    [0, 900],
    [0, 900],
  ]);
  assert.equal(tokens.wordOf(3), "t3₃");
});
