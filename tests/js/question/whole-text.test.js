import assert from "node:assert/strict";
import test from "node:test";
import { bodyOf, asQuestion } from "../../../static/js/core/question.js";
import {
  openText,
  refuseText,
  refusedText,
  takeDropped,
  withBreaks,
  withWhole,
} from "../../../static/js/question/whole-text.js";
import { newDocument } from "../support/document.js";
import { page } from "../support/sent.js";
import { storeOf } from "../support/state.js";

newDocument();
globalThis.Element ??= HTMLElement;
const file = (text, name = "a.txt") => new File([text], name);

test("a text takes the place of words, numbers and tokens, and its line breaks are its own", () => {
  const given = asQuestion(page, { x: [[1]], tokens: ["a"] });
  const { text, x, tokens, breaks } = withWhole(given, "text", "a\nb");
  assert.deepEqual([text, x, tokens, breaks], ["a\nb", null, null, true]);
});

test("a text without line breaks changes nothing of what a line is", () => {
  const asked = { ...asQuestion(page, {}), text: "a", context: "b\nc" };
  assert.deepEqual(
    [withWhole(asked, "text", "d").breaks, bodyOf(withWhole(asked, "text", "d")).context],
    [false, ["b", "c"]],
  );
  assert.equal(withWhole({ ...asked, breaks: true }, "text", "d").breaks, true);
});

test("the texts of the other boxes stay as many as they were", () => {
  const asked = withWhole({ ...asQuestion(page, {}), text: "a\nb", context: "" }, "context", "c\nd");
  assert.deepEqual([bodyOf(asked).text, bodyOf(asked).context], [["a", "b"], "c\nd"]);
});

test("lines become one text, and one text lines", () => {
  const lines = { ...asQuestion(page, {}), text: "a\nb" };
  assert.equal(bodyOf(withBreaks(lines, true)).text, "a\nb");
  assert.deepEqual(bodyOf(withBreaks(withBreaks(lines, true), false)), bodyOf(lines));
  const texts = asQuestion(page, { text: ["a\nb", "c"] });
  assert.deepEqual(bodyOf(withBreaks(texts, false)).text, ["a", "b", "c"]);
  assert.equal(withBreaks(texts, false).context, null);
});

test("a file becomes the text, and one that is none is shown beside its box", async () => {
  const store = storeOf("cat");
  await openText(store, [file("")], "text");
  assert.match(refusedText(store.get()), /^a\.txt /);
  assert.equal(store.get().question.text, "the cat saw the dog");
  await openText(store, [file("one\ntwo")], "text");
  const { question } = store.get();
  assert.deepEqual([question.text, question.breaks, refusedText(store.get())], ["one\ntwo", true, ""]);
});

test("of two files that are opened one after the other the later counts", async () => {
  const store = storeOf("cat");
  const bytes = await file("slow").arrayBuffer();
  const slow = Object.assign(file("slow"), { arrayBuffer: () => new Promise((done) => setTimeout(done, 20, bytes)) });
  await Promise.all([openText(store, [slow], "text"), openText(store, [file("quick")], "text")]);
  assert.equal(store.get().question.text, "quick");
  await openText(store, [], "text");
  assert.equal(store.get().question.text, "quick");
});

test("what is dropped is text or a model's, by its name and where it falls", async () => {
  const store = storeOf("cat");
  const sent = [];
  const send = async (_, files) => void sent.push(files.map(({ name }) => name));
  const box = document.createElement("div");
  box.closest = () => box;
  box.setAttribute("data-field", "context");
  await takeDropped(store, [file("whole", "a.md")], null, send);
  await takeDropped(store, [file("", "w.safetensors")], box, send);
  await takeDropped(store, [file("", "merges.txt"), file("", "w.npz")], null, send);
  await takeDropped(store, [file("other", "notes")], box, send);
  assert.deepEqual(sent, [["w.safetensors"], ["merges.txt", "w.npz"]]);
  assert.deepEqual([store.get().question.text, store.get().question.context], ["whole", "other"]);
});

test("why a text is not taken stands until another is", () => {
  const store = storeOf("cat");
  refuseText(store, "pair", "text_file.empty", { name: "a.txt" });
  assert.deepEqual(store.get().unchanged.errors[0].at, "pair");
  assert.equal(refusedText({ unchanged: null }), "");
});
