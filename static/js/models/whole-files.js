/** Recognises whole models: weights with config.json and tokenizer.json, or one .gguf. */

/** @typedef {{kind: string, files: {field: string, file: File}[], bytes: number}} Whole `kind`: model type or "GGUF" */

/**
 * @param {File[]} files @param {File[]} weights @param {import("./checkpoint-files.js").Config | null} config
 * @param {string[]} families
 */
export function wholeOf(files, weights, config, families) {
  const [gguf] = files.filter(({ name }) => /\.gguf$/i.test(name));
  if (gguf && weights.every(({ name }) => name === gguf.name)) return whole("GGUF", [["weights", gguf]]);
  const [own, tokenizer] = ["config.json", "tokenizer.json"].map((name) => files.find((file) => file.name === name));
  if (!own || !tokenizer || !config || !families.includes(config.model_type)) return null;
  if (!weights.every(({ name }) => /\.safetensors$/i.test(name))) return null;
  const shards = weights.map((file) => /** @type {[string, File]} */ (["weights", file]));
  return whole(config.model_type, [...shards, ["config", own], ["tokenizer", tokenizer]]);
}

/** @param {string} kind @param {[string, File][]} parts */
function whole(kind, parts) {
  const files = parts.map(([field, file]) => ({ field, file }));
  return { kind, files, bytes: files.reduce((sum, { file }) => sum + file.size, 0) };
}

/** @param {Whole} model @param {string} title @param {string[]} accept keys that the server must ignore */
export function formOf({ files }, title, accept) {
  const form = new FormData();
  for (const { field, file } of files) form.append(field, file);
  form.append("name", title);
  if (accept.length) form.append("accept", JSON.stringify(accept));
  return form;
}
