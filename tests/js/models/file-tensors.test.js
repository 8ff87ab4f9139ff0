import assert from "node:assert/strict";
import { Duplex } from "node:stream";
import test from "node:test";
import { constants, createInflateRaw, deflateRawSync, inflateRawSync } from "node:zlib";
import { Unreadable, contentsOf, zippedTensors } from "../../../static/js/models/file-tensors.js";
import { safetensorsFile } from "./files.js";

const LIMITS = { max_header_bytes: 1000, max_json_bytes: 1000, max_tensors: 3 };
const rowsOf = ({ tensors }) => tensors.map(({ name, shape, dtype }) => [name, shape, dtype]);
const refuses = (files, key, limits = LIMITS) =>
  assert.rejects(contentsOf(files, limits), (error) => error instanceof Unreadable && error.key === `models.${key}`);

test("the tensors of shards, and what is shown beside them", async () => {
  const one = safetensorsFile("a.safetensors", { q: ["BF16", [2, 3]] }, { num_heads: "2" });
  const other = safetensorsFile("b.safetensors", { k: ["F32", [4]], scalar: ["F8_E4M3", []] });
  const found = await contentsOf([one, other], LIMITS);
  assert.deepEqual(rowsOf(found), [["q", [2, 3], "bfloat16"], ["k", [4], "float32"], ["scalar", [], "F8_E4M3"]]); // prettier-ignore
  assert.deepEqual(found.metadata, { num_heads: "2" });
  assert.equal(found.vocab, false);
  const [q] = found.tensors;
  assert.equal(q.end - q.begin, 12);
  assert.equal(q.file, one);
});

test("no more than a header is read of a file, and none that claims to be too long", async () => {
  const file = safetensorsFile("a.safetensors", { q: ["F32", [2, 3]] });
  const read = [];
  const slice = file.slice.bind(file);
  file.slice = (...span) => (read.push(span[1]), slice(...span));
  const [q] = (await contentsOf([file], LIMITS)).tensors;
  assert.ok(Math.max(...read) <= q.begin);
  await refuses([file], "broken", { ...LIMITS, max_header_bytes: 10 });
  await refuses([new File([await file.slice(0, 30).arrayBuffer()], "cut.safetensors")], "broken");
  await refuses([new File([await file.slice(0, q.end - 1).arrayBuffer()], "cut.safetensors")], "broken");
});

test("numbers that are written out have the sizes of their rows", async () => {
  const file = new File([JSON.stringify({ w_q: [[1, 2, 3]], b_q: [1, 2], vocab: ["a"], num_heads: 2 })], "w.json");
  const found = await contentsOf([file], LIMITS);
  assert.deepEqual(rowsOf(found), [["w_q", [1, 3], "float64"], ["b_q", [2], "float64"]]); // prettier-ignore
  assert.equal(found.vocab, true);
  await refuses([file], "json_too_large", { ...LIMITS, max_json_bytes: 10 });
});

test("what is read nowhere is said by its kind", async () => {
  await refuses([new File(["\x80\x02}"], "pytorch_model.bin")], "pickle");
  await refuses([new File(["GGUF"], "a.gguf")], "format");
  for (const kind of ["safetensors", "npz", "npy"]) await refuses([new File([""], `empty.${kind}`)], "broken");
  await refuses([new File(["PK\x03\x04"], "pytorch_model.pt")], "pickle"); // torch.save writes a zip
  await refuses([new File(["no zip"], "w.npz")], "broken");
  await refuses([new File(["{"], "w.json")], "broken");
  await refuses([new File(["PK\x03\x04"], "w.npz")], "broken");
  await refuses([new File(["{}"], "w.json")], "no_tensors");
});

test("too many tensors are refused, and one that comes twice", async () => {
  const many = (names) => safetensorsFile("a.safetensors", Object.fromEntries(names.map((n) => [n, ["F32", [1]]])));
  await refuses([many(["a", "b"]), many(["c", "d"])], "too_many_tensors");
  await refuses([many(["a"]), many(["a"])], "name_twice");
});

/** What browsers have had since 2023, and node 18 has not. */
class Inflating {
  constructor() {
    return /** @type {any} */ (Duplex).toWeb(createInflateRaw()); // Node.js 18 has it, its types have not
  }
}
try {
  new DecompressionStream("deflate-raw");
} catch {
  globalThis.DecompressionStream = Inflating;
}

/** A .npy, as numpy writes it. */
function npy(descr, shape, bytes) {
  const header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape}), }`.padEnd(117) + "\n";
  return Buffer.concat([Buffer.from("\x93NUMPY\x01\0v\0", "latin1"), Buffer.from(header), Buffer.alloc(bytes, 7)]);
}

/** A zip archive of members, `packed` or as they are. */
function zip(members, packed = false) {
  const [parts, listed] = [[], []];
  let at = 0;
  for (const [name, content] of Object.entries(members)) {
    const data = packed ? deflateRawSync(content) : content;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50);
    local.writeUInt16LE(name.length, 26);
    local.writeUInt16LE(20, 28); // numpy leaves room for sizes of 64 bits
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50);
    entry.writeUInt16LE(packed ? 8 : 0, 10);
    entry.writeUInt32LE(data.length, 20);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    const written = [local, Buffer.from(name), Buffer.alloc(20), data];
    parts.push(...written);
    listed.push(entry, Buffer.from(name));
    at += written.reduce((sum, part) => sum + part.length, 0);
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt32LE(Buffer.concat(listed).length, 12);
  end.writeUInt32LE(at, 16);
  return new File([Buffer.concat([...parts, ...listed, end])], "w.npz"); // as from a disk, no part apart
}

const MEMBERS = {
  "w_q.npy": npy("<f4", "768, 768", 20_000),
  "b_q.npy": npy("<f2", "768,", 1536),
  "num_heads.npy": npy("|i8", "", 8),
};
const WANTED = [
  { name: "w_q", shape: [768, 768], dtype: "float32" },
  { name: "b_q", shape: [768], dtype: "float16" },
  { name: "num_heads", shape: [], dtype: "int64" },
];

test("names, sizes and types are read of members as they are, and of packed ones", async () => {
  assert.deepEqual(await zippedTensors(zip(MEMBERS), 10), WANTED);
  assert.deepEqual(await zippedTensors(zip(MEMBERS, true), 10), WANTED);
});

/** Safari's: bytes after the end are an error before anything is read. */
class Strict extends TransformStream {
  constructor() {
    super({
      transform(chunk, controller) {
        const how = { info: true, finishFlush: constants.Z_SYNC_FLUSH };
        const { buffer, engine } = /** @type {any} */ (inflateRawSync(chunk, how));
        if (engine.bytesWritten < chunk.length) throw new TypeError("Extra bytes past the end.");
        controller.enqueue(new Uint8Array(buffer));
      },
    });
  }
}

test("no byte after a packed member is unpacked", async (t) => {
  const own = globalThis.DecompressionStream;
  t.after(() => (globalThis.DecompressionStream = own));
  globalThis.DecompressionStream = Strict;
  assert.deepEqual(await zippedTensors(zip(MEMBERS, true), 10), WANTED);
});

test("of a large member nothing behind its header is read", async () => {
  const file = zip({ "w.npy": npy("<f8", "1000, 1000", 8_000_000) });
  let read = 0;
  const slice = file.slice.bind(file);
  file.slice = (from, to = file.size) => ((read += to - from), slice(from, to));
  await zippedTensors(file, 10);
  assert.ok(read < 70_000, `${read}`);
});

test("an archive of another kind is refused", async () => {
  const refused = [
    new File(["PK\x03\x04 and no end"], "a.npz"),
    zip({ "a.txt": Buffer.from("text") }),
    zip(MEMBERS).slice(100),
    zip(MEMBERS).slice(0, 1000),
  ];
  for (const file of refused) await assert.rejects(zippedTensors(file, 10), RangeError);
  await assert.rejects(zippedTensors(zip(MEMBERS), 1), RangeError);
});
