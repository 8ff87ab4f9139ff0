/** @typedef {{model_type: string, architecture: string, heads: number | null}} Config */

const WEIGHTS = /\.(safetensors|npz)$/i;
const PICKLES = /\.(bin|pt|pth|pkl|ckpt)$/i;
const LARGEST_CONFIG = 1 << 20;
const HEADS = ["num_attention_heads", "n_head", "n_heads", "num_heads"]; // keys of configs

/** .safetensors and .npz files or, without any, files that may be weights. @param {File[]} files */
export function weightsOf(files) {
  const weights = files.filter(({ name }) => WEIGHTS.test(name));
  if (weights.length) return weights;
  const written = files.filter(({ name }) => /\.json$/i.test(name) && name !== "config.json");
  const pickles = files.filter(({ name }) => PICKLES.test(name));
  return pickles.length ? pickles : files.length === 1 ? files : written;
}

/** @param {File[]} files @returns {Promise<Config | null>} null if missing or unreadable */
export async function configOf(files) {
  const file = files.find(({ name }) => name === "config.json");
  if (!file || file.size > LARGEST_CONFIG) return null;
  try {
    const config = JSON.parse(await file.text());
    const heads = HEADS.map((key) => config[key]).find((value) => Number.isInteger(value) && value > 0);
    const architecture = String(config.architectures?.[0] ?? "");
    return { model_type: String(config.model_type ?? architecture), architecture, heads: heads ?? null };
  } catch {
    return null;
  }
}

/** Name of the folder or, without one, of the first file. @param {File[]} files */
export function titleOf(files) {
  const [{ name, webkitRelativePath: path = "" }] = files;
  return path.includes("/") ? path.split("/").slice(-2)[0] : name.replace(/\.[^.]+$/, "");
}
