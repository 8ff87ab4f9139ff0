/** Reads headers of a .npz file, which is a zip of .npy files. */

const [END, ENTRY] = [0x06054b50, 0x02014b50];
const FARTHEST = 22 + 0xffff; // bytes; the end record starts no farther from the end
const LARGEST_DIRECTORY = 16 << 20;
const HEADER = 1024; // bytes read of a header
const PACKED = 4096; // compressed bytes that hold HEADER bytes
const ZIP64 = 0xffffffff; // zip64, not supported

/** @type {Record<string, string>} */
const KINDS = { f: "float", i: "int", u: "uint", b: "bool" };

/**
 * @param {File} file @param {number} most
 * @throws {RangeError} if broken or not supported
 */
export async function zippedTensors(file, most) {
  const members = entries(await directory(file), most);
  const arrays = [];
  for (const { name, method, offset } of members) arrays.push({ name, ...(await array(file, method, offset)) });
  return arrays;
}

/** @param {File} file */
async function directory(file) {
  const end = new DataView(await file.slice(Math.max(0, file.size - FARTHEST)).arrayBuffer());
  let at = end.byteLength - 22;
  while (at >= 0 && end.getUint32(at, true) !== END) at -= 1;
  if (at < 0) throw new RangeError();
  const [size, offset] = [end.getUint32(at + 12, true), end.getUint32(at + 16, true)];
  if (offset === ZIP64 || size > LARGEST_DIRECTORY) throw new RangeError();
  return new DataView(await file.slice(offset, offset + size).arrayBuffer());
}

/** @param {DataView} listed @param {number} most */
function entries(listed, most) {
  const found = [];
  for (let at = 0; at + 46 <= listed.byteLength;) {
    if (listed.getUint32(at, true) !== ENTRY || found.length > most) throw new RangeError();
    const [named, extra, comment] = [28, 30, 32].map((field) => listed.getUint16(at + field, true));
    const offset = listed.getUint32(at + 42, true);
    if (offset === ZIP64) throw new RangeError();
    const name = new TextDecoder().decode(new Uint8Array(listed.buffer, listed.byteOffset + at + 46, named));
    found.push({ name: name.replace(/\.npy$/, ""), method: listed.getUint16(at + 10, true), offset });
    at += 46 + named + extra + comment;
  }
  return found;
}

/** @param {File} file @param {number} method @param {number} offset */
async function array(file, method, offset) {
  const local = new DataView(await file.slice(offset, offset + 30).arrayBuffer());
  const begin = offset + 30 + local.getUint16(26, true) + local.getUint16(28, true);
  const bytes = file.slice(begin, begin + (method === 0 ? HEADER : PACKED));
  return headerOf(method === 0 ? await bytes.arrayBuffer() : await unpacked(bytes));
}

/** The tensor is named after the file. @param {File} file */
export async function looseTensor(file) {
  const name = file.name.replace(/\.npy$/i, "");
  return { name, ...headerOf(await file.slice(0, HEADER).arrayBuffer()) };
}

/** @param {ArrayBuffer | Uint8Array<ArrayBuffer>} bytes */
function headerOf(bytes) {
  const text = new TextDecoder("latin1").decode(bytes);
  const descr = text.match(/'descr':\s*'[<>|=]?([a-zA-Z])(\d+)'/);
  const shape = text.match(/'shape':\s*\(([\d, ]*)\)/);
  if (!text.startsWith("NUMPY", 1) || !descr || !shape) throw new RangeError();
  const kind = KINDS[descr[1]];
  return {
    shape: shape[1]
      .split(",")
      .filter((size) => size.trim())
      .map(Number),
    dtype: kind === "bool" ? kind : kind ? `${kind}${8 * Number(descr[2])}` : descr[1] + descr[2],
  };
}

/** @param {Blob} bytes */
async function unpacked(bytes) {
  const reader = bytes.stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const { value } = await reader.read();
  reader.cancel().catch(() => {});
  return /** @type {Uint8Array<ArrayBuffer>} */ (value).slice(0, HEADER);
}
