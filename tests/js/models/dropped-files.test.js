import assert from "node:assert/strict";
import test from "node:test";
import { TooManyFiles, droppedFiles } from "../../../static/js/models/dropped-files.js";

let read = 0; // files that were looked at
const fileEntry = (name) => ({ isFile: true, file: (give) => (read++, give(new File([name], name))) });
const folder = (entries) => ({
  isFile: false,
  createReader() {
    let at = 0;
    return { readEntries: (give) => give(entries.slice(at, (at += 100))) };
  },
});
const item = (entry) => ({ kind: "file", webkitGetAsEntry: () => entry, getAsFile: () => null });
const names = (count) => Array.from({ length: count }, (_, at) => `f${at}`);

test("folders in folders are looked through, beside files", async () => {
  const inner = folder(names(150).map(fileEntry));
  const items = [item(folder([fileEntry("config.json"), inner])), item(fileEntry("a")), { kind: "string" }];
  const found = await droppedFiles({ items }, 1000);
  assert.deepEqual(
    found.map(({ name }) => name),
    ["config.json", ...names(150), "a"],
  );
});

test("a folder of ten thousand files is refused as soon as there are too many", async () => {
  read = 0;
  await assert.rejects(droppedFiles({ items: [item(folder(names(10_000).map(fileEntry)))] }, 1000), TooManyFiles);
  assert.equal(read, 1000);
});

test("entries are taken during the event of the drop, before anything is waited for", () => {
  let taken = 0;
  const items = ["a", "b"].map((name) => ({ ...item(null), webkitGetAsEntry: () => (taken++, fileEntry(name)) }));
  droppedFiles({ items }, 10);
  assert.equal(taken, 2);
});

test("where there are no entries the files themselves are taken", async () => {
  const file = new File(["x"], "x.npz");
  const items = [{ kind: "file", webkitGetAsEntry: () => null, getAsFile: () => file }];
  assert.deepEqual(await droppedFiles({ items }, 10), [file]);
});
