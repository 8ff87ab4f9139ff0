/** Names and shapes of the tensors in files of weights. A .npz file is a zip of .npy files. */

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
  for (const { name, ...member } of members) arrays.push({ name, ...(await array(file, member)) });
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
    const [size, offset] = [20, 42].map((field) => listed.getUint32(at + field, true));
    if (offset === ZIP64) throw new RangeError();
    const name = new TextDecoder().decode(new Uint8Array(listed.buffer, listed.byteOffset + at + 46, named));
    found.push({ name: name.replace(/\.npy$/, ""), method: listed.getUint16(at + 10, true), size, offset });
    at += 46 + named + extra + comment;
  }
  return found;
}

/** @param {File} file @param {{method: number, size: number, offset: number}} member */
async function array(file, { method, size, offset }) {
  const local = new DataView(await file.slice(offset, offset + 30).arrayBuffer());
  const begin = offset + 30 + local.getUint16(26, true) + local.getUint16(28, true);
  // Safari refuses bytes beyond the member.
  const bytes = file.slice(begin, begin + Math.min(method === 0 ? HEADER : PACKED, size));
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

/**
 * @typedef {{name: string, shape: number[], dtype: string, file: File, code?: string, begin?: number, end?: number,
 * loose?: boolean}} Tensor `loose`: has its own file. Only tensors of .safetensors have `code`, `begin` and `end`
 */
/** @typedef {{tensors: Tensor[], metadata: Record<string, string>, vocab: boolean}} Contents */
/** @typedef {Record<string, number>} Limits max_header_bytes, max_json_bytes, max_tensors */

/** @type {Record<string, string>} */
const DTYPES = { F64: "float64", F32: "float32", F16: "float16", BF16: "bfloat16" };
const VOCAB = "vocab"; // key of metadata
const METADATA_NAMES = [VOCAB, "num_heads"];

/** Thrown if a file cannot be read; `key` names the message. */
export class Unreadable extends Error {
  /** @param {string} key @param {Record<string, unknown>} [values] */
  constructor(key, values = {}) {
    super(key);
    this.key = key;
    this.values = values;
  }
}

/** @param {File[]} files @param {Limits} limits @throws {Unreadable} */
export async function contentsOf(files, limits) {
  const found = /** @type {Contents} */ ({ tensors: [], metadata: {}, vocab: false });
  for (const file of files) {
    const { tensors, metadata, vocab } = await contents(file, limits);
    found.tensors.push(...tensors);
    Object.assign(found.metadata, metadata);
    found.vocab ||= vocab;
    if (found.tensors.length > limits.max_tensors)
      throw new Unreadable("models.too_many_tensors", { limit: limits.max_tensors });
  }
  if (found.tensors.length === 0) throw new Unreadable("models.no_tensors");
  const names = new Set();
  for (const { name } of found.tensors) {
    if (names.has(name)) throw new Unreadable("models.name_twice", { name });
    names.add(name);
  }
  return found;
}

/** @param {File} file @param {Limits} limits */
async function contents(file, limits) {
  const start = new Uint8Array(await file.slice(0, 9).arrayBuffer());
  const [first, second] = start;
  try {
    if (first === 0x50 && second === 0x4b) {
      const members = await zippedTensors(file, limits.max_tensors);
      return withoutMetadata(members.map((member) => ({ ...member, file })));
    }
    if (first === 0x93 && second === 0x4e)
      return withoutMetadata([{ ...(await looseTensor(file)), file, loose: true }]);
    if (start[8] === 0x7b && start.subarray(0, 8).includes(0)) return await safetensors(file, limits);
    if (/\.json$/i.test(file.name)) return await readJson(file, limits);
  } catch (error) {
    throw error instanceof Unreadable ? error : refusal(file, "models.broken");
  }
  throw refusal(file, /\.(safetensors|npz|npy)$/i.test(file.name) ? "models.broken" : "models.format");
}

/** PyTorch zips pickles. @param {File} file @param {string} key */
function refusal({ name }, key) {
  return new Unreadable(/\.(bin|pt|pth|pkl|ckpt)$/i.test(name) ? "models.pickle" : key, { file: name });
}

/** @param {File} file @param {Limits} limits @returns {Promise<Contents>} */
async function safetensors(file, limits) {
  const length = Number(new DataView(await file.slice(0, 8).arrayBuffer()).getBigUint64(0, true));
  if (length > limits.max_header_bytes || length > file.size - 8) throw new RangeError();
  const header = JSON.parse(await file.slice(8, 8 + length).text());
  const { __metadata__: metadata = {}, ...entries } = header;
  const tensors = Object.entries(entries).map(([name, { dtype, shape, data_offsets }]) => {
    const [begin, end] = data_offsets.map((/** @type {number} */ offset) => 8 + length + offset);
    if (!isShape(shape) || !(begin <= end && end <= file.size)) throw new RangeError();
    return { name, shape, dtype: DTYPES[dtype] ?? String(dtype), file, code: String(dtype), begin, end };
  });
  return { tensors, metadata, vocab: VOCAB in metadata };
}

/** @param {File} file @param {Limits} limits */
async function readJson(file, limits) {
  if (file.size > limits.max_json_bytes) throw new Unreadable("models.json_too_large", { file: file.name });
  const document = JSON.parse(await file.text());
  return withoutMetadata(
    Object.entries(document)
      .filter(([, value]) => Array.isArray(value) || typeof value === "number")
      .map(([name, value]) => ({ name, shape: sizesOf(value), dtype: "float64", file })),
  );
}

/** @param {unknown} value @returns {number[]} */
const sizesOf = (value) => (Array.isArray(value) ? [value.length, ...sizesOf(value[0])] : []);

/** @param {unknown} shape */
const isShape = (shape) => Array.isArray(shape) && shape.every((size) => Number.isSafeInteger(size) && size >= 0);

/** @param {Tensor[]} all @returns {Contents} */
const withoutMetadata = (all) => ({
  tensors: all.filter(({ name }) => !METADATA_NAMES.includes(name)),
  metadata: {},
  vocab: all.some(({ name }) => name === VOCAB),
});
