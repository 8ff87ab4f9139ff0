import assert from "node:assert/strict";
import test from "node:test";
import { isText, isTooLong, readText } from "../../../static/js/question/text-file.js";

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
