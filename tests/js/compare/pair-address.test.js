import assert from "node:assert/strict";
import test from "node:test";
import { isBare, readPair, writePair } from "../../../static/js/compare/pair-address.js";
import { asQuestion } from "../../../static/js/core/question.js";
import { openAddress } from "../support/address-bar.js";
import { page } from "../support/sent.js";

openAddress("/compare");
const at = (address) => new URL(address, location.href);
const read = (address) => readPair(at(address), page);
const written = (address, pair) => {
  const lang = at(address).searchParams.get("lang") ?? page.lang;
  return writePair(pair, at(address), { ...page, lang });
};

test("each side has what stands under its letter, and the view is one for both", () => {
  const { a, b, view, align, of, ignored } = read("/compare?a.text=a%20cat&b.seed=3&head=1&align=edit&of=b&b.odd=1");
  assert.deepEqual([a.text, a.model.seed], ["a cat", page.defaults.model.seed]);
  assert.deepEqual([b.text, b.model.seed], [page.defaults.text, 3]);
  assert.deepEqual([view.head, align, of], [1, "edit", "b"]);
  assert.deepEqual(ignored, { a: [], b: ["odd=1"] });
});

for (const address of [
  "/compare?a.text=a%20cat&b.seed=3",
  "/compare?lang=zh&b.causal=false&layer=0&head=1&align=edit&of=a",
  `/compare?a.source=explicit#${encodeURIComponent('{"a.x":[[1,0],[0,1]],"b.x":[[2,0],[0,2]]}')}`,
])
  test(`what is read from ${decodeURIComponent(address)} is written again`, () => {
    const pair = read(address);
    assert.deepEqual(read(written(address, pair)), pair);
  });

test("matrices that are no JSON are left out", () => {
  assert.equal(read("/compare?b.seed=1#%7B").a.x, asQuestion(page, {}).x);
});

test("an address that says nothing opens on the pair of the page", () => {
  const view = { layer: 1, head: 1 };
  const model = { source: "installed", name: "echo" };
  const pair = ["one", "two"].map((text) => ({ id: "first", question: { text, model }, view }));
  const opened = (address) => readPair(at(address), { ...page, pair });
  const { a, b, view: looked } = opened("/compare?lang=zh");
  assert.deepEqual([a.text, b.text, a.model.name, b.model.name], ["one", "two", "echo", "echo"]);
  assert.deepEqual([looked.layer, looked.head], [1, 1]);
  assert.equal(opened("/compare?b.seed=1").a.model.source, "seeded");
});

test("without one an address that says nothing opens on a pair that differs", () => {
  for (const address of ["/compare", "/compare?lang=zh", "/compare#"]) {
    assert.equal(isBare(at(address)), true, address);
    const { a, b } = read(address);
    assert.deepEqual(b, { ...a, text: a.text.replace("tired", "wide") });
    assert.notEqual(b.text, a.text);
  }
  assert.match(written("/compare?lang=zh", read("/compare")), /^\/compare\?lang=zh&b\.text=The%20animal[^&]*wide\.$/);
});

test("two equal questions keep an address of their own", () => {
  const { a, view } = read("/compare");
  const address = written("/compare", { a, b: a, view, align: "position" });
  assert.equal(address, "/compare?align=position");
  assert.deepEqual(read(address).b, a);
});
