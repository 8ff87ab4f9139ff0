import assert from "node:assert/strict";
import test from "node:test";
import { readAddress, writeAddress } from "../../../../static/js/core/address/address.js";
import { firstScreen, openedBy } from "../../../../static/js/core/address/first-screen.js";
import { defaultQuestion } from "../../../../static/js/core/question.js";
import { page as sent } from "../../support/sent.js";

const model = { source: "installed", name: "echo" };
const page = { ...sent, first: { question: { text: "a b a", model }, view: { layer: 1 } } };
const url = (address) => new URL(address, "http://attnscope.test");
const inLanguageOf = (address) => ({ ...page, lang: url(address).searchParams.get("lang") ?? page.lang });
const read = (address) => readAddress(url(address), inLanguageOf(address));
const write = (state) => writeAddress(state, url("/"), page);

test("an address that says nothing, or the language alone, opens the first screen", () => {
  for (const address of ["/", "/?lang=zh", "/#"]) {
    const { question, view, ignored } = read(address);
    assert.deepEqual([question.text, question.model.name, view.layer, view.head], ["a b a", "echo", 1, 0]);
    assert.deepEqual(ignored, []);
  }
});

test("an address with any parameter means what it meant", () => {
  for (const address of ["/?source=seeded", "/?head=1", "/?lang=en&text=x", "/?nonsense=1"])
    assert.equal(read(address).question.model.source, "seeded");
  assert.equal(openedBy(url("/#x=%5B%5B1%5D%5D"), page), null);
});

test("what the page opens on writes nothing, in the language of the address", () => {
  assert.equal(write(read("/")), "/");
  assert.equal(writeAddress(read("/"), url("/?lang=zh"), inLanguageOf("/?lang=zh")), "/?lang=zh");
  assert.match(
    write({ ...read("/"), view: { ...read("/").view, head: 2 } }),
    /source=installed&name=echo&layer=1&head=2/,
  );
});

test("a link that is given away spells out what the page opens on", () => {
  const link = writeAddress(read("/"), url("/"), page, true);
  assert.match(link, /text=a%20b%20a&source=installed&name=echo&layer=1/);
  assert.deepEqual(read(link).question, read("/").question);
});

test("the default question says that it is seeded, and what differs from it says so itself", () => {
  const { view } = read("/?source=seeded");
  assert.equal(write({ question: defaultQuestion(page), view }), "/?source=seeded");
  assert.equal(write({ question: defaultQuestion(page), view: { ...view, head: 1 } }), "/?head=1");
  assert.equal(read("/?source=seeded").view.layer, 0);
});

test("where no model is there the default question is the first", () => {
  assert.equal(firstScreen(sent), null);
  assert.equal(writeAddress(readAddress(url("/"), sent), url("/"), sent), "/");
});
