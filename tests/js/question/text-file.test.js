import assert from "node:assert/strict";
import test from "node:test";
import { bodyOf, asQuestion } from "../../../static/js/core/question.js";
import {
  isText,
  isTooLong,
  readText,
  openText,
  refuseText,
  refusedText,
  takeDropped,
  withBreaks,
  withWhole,
} from "../../../static/js/question/text-file.js";
import { newDocument } from "../support/document.js";
import { page } from "../support/sent.js";
import { storeOf } from "../support/state.js";

/** @returns {Promise<any>} */
const open = (files, limit = 100) => readText(files, limit);
const read = async (parts, limit = 100, name = "a.txt") => open([new File(parts, name)], limit);

test("a file says by its name or its kind that it is text", () => {
  const names = ["a.txt", "READ.ME.MD", "b.markdown", "c.safetensors", "d"];
  assert.deepEqual(
    names.map((name) => isText({ name, type: "" })),
    [true, true, true, false, false],
  );
  assert.equal(isText({ name: "d", type: "text/plain" }), true);
});

test("a text comes without the mark before it, and with line breaks as a box has them", async () => {
  assert.deepEqual(await read([Uint8Array.of(0xef, 0xbb, 0xbf), "a\r\nb\rc\n"]), { text: "a\nb\nc\n" });
});

test("what is no text in UTF-8 is shown as such", async () => {
  const not = { wrong: "text_file.not_text", values: { name: "a.txt", limit: 100 } };
  assert.deepEqual(await read([Uint8Array.of(0xff, 0xfe, 0x61, 0)]), not); // UTF-16
  assert.deepEqual(await read([Uint8Array.of(0x50, 0x4b, 3, 4, 0xc3, 0x28)]), not);
  assert.deepEqual(await read(["a\0b"]), not);
});

test("a file without text in it, several at once, and one that is gone", async () => {
  assert.equal((await read([])).wrong, "text_file.empty");
  assert.equal((await read([" \n\n"])).wrong, "text_file.empty");
  const [one, other] = [new File(["a"], "a.txt"), new File(["b"], "b.txt")];
  assert.equal((await open([one, other])).wrong, "text_file.several");
  const gone = { name: "a.txt", size: 3, arrayBuffer: () => Promise.reject(new Error("NotFoundError")) };
  assert.equal((await open([gone])).wrong, "text_file.gone");
});

test("a file that must be too long is not read, and one that is, is not taken", async () => {
  const unread = { name: "a.txt", size: 401, arrayBuffer: () => assert.fail("it is read") };
  assert.deepEqual(await readText([unread], 100), {
    wrong: "text_file.too_long",
    values: { name: "a.txt", limit: 100 },
  });
  assert.equal((await read(["a".repeat(101)])).wrong, "text_file.too_long");
  assert.equal((await read(["a".repeat(100)])).text.length, 100);
});

test("an emoji is one character", async () => {
  assert.equal((await read(["🐟".repeat(100)])).text.length, 200);
  assert.deepEqual([isTooLong("🐟🐟", 2), isTooLong("🐟🐟a", 2)], [false, true]);
});

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
