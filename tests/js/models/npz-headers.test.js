import assert from "node:assert/strict";
import { Duplex } from "node:stream";
import test from "node:test";
import { createInflateRaw, deflateRawSync } from "node:zlib";
import { zippedTensors } from "../../../static/js/models/npz-headers.js";

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
  return new File([...parts, ...listed, end], "w.npz");
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
