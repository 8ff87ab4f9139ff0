import { pageAddress } from "../core/page-address.js";
import { fill, h } from "../lib/dom.js";
import { acceptDrops } from "../question/drops.js";
import { configOf, titleOf, weightsOf, TooManyFiles, droppedFiles, wholeOf } from "./chosen-files.js";
import { Unreadable, contentsOf } from "./file-tensors.js";
import { MappingScreen } from "./mapping-screen.js";
import { wholeModel } from "./whole-model.js";

/** @typedef {import("./mapping-screen.js").MappingStore} Store */
/** @typedef {import("./chosen-files.js").Config} Config */
/** @typedef {{root: HTMLElement, title: HTMLElement}} Screen */

const MOST = 1000; // files; checkpoints have only dozens

/**
 * @param {HTMLElement} root @param {Store} store
 * @param {(files: File[]) => Promise<Screen | null>} others screen of files that are no models, or null
 */
export function fileInput(root, store, others) {
  const { t } = store;
  const refusal = h("p", { class: "error", role: "alert" });
  const place = h("div");
  let turn = 0; // number of the last choice; earlier choices are ignored

  /** @param {() => Promise<File[]> | File[]} find */
  async function take(find) {
    const mine = ++turn;
    fill(refusal);
    try {
      const show = (/** @type {Screen} */ screen) => {
        if (mine !== turn) return;
        fill(place, screen.root);
        screen.title.focus();
      };
      const files = await find();
      if (files.length > MOST) throw new TooManyFiles();
      show((await others(files)) ?? (await screenOf(store, files, show)));
    } catch (error) {
      if (mine !== turn) return;
      fill(place);
      fill(refusal, t(...messageOf(error)));
    }
  }

  const files = input({ multiple: true, "data-choose": "files" });
  const folder = input({ webkitdirectory: true, "data-choose": "folder" });
  for (const each of [files, folder])
    each.addEventListener("change", () => {
      const chosen = [...(each.files ?? [])];
      each.value = "";
      if (chosen.length) take(() => chosen);
    });
  const button = (/** @type {string} */ key, /** @type {HTMLInputElement} */ of) =>
    h("button", { type: "button", class: "button", onclick: () => of.click() }, t(key));
  fill(
    root,
    h(
      "div",
      { class: "dropzone" },
      h("p", {}, t("models.drop")),
      h("div", { class: "ways" }, button("models.choose_files", files), button("models.choose_folder", folder)),
      files,
      folder,
    ),
    refusal,
    place,
  );
  acceptDrops((_, dropped) => {
    if (dropped?.items.length) take(() => droppedFiles({ items: [...dropped.items] }, MOST));
  });
}

/** @param {Record<string, unknown>} attributes */
const input = (attributes) => h("input", { type: "file", hidden: true, ...attributes });

/**
 * @param {Store} store @param {File[]} files @param {(screen: Screen) => void} show
 * @returns {Promise<Screen>}
 */
async function screenOf(store, files, show) {
  const weights = weightsOf(files);
  const config = await configOf(files);
  const whole = wholeOf(files, weights, config, store.page.families);
  const open = (/** @type {{id: string}} */ { id }) => location.assign(pageAddress("/", { source: "uploaded", id }));
  if (!whole) return mappingOf(store, weights, config, open);
  const title = titleOf(weights.length ? weights : files);
  const byHand = async () => show(await mappingOf(store, weights, config, open));
  return wholeModel(store, whole, title, open, whole.kind === "GGUF" ? null : byHand);
}

/**
 * @param {Store} store @param {File[]} weights @param {Config | null} config
 * @param {(reply: {id: string}) => void} open
 */
async function mappingOf(store, weights, config, open) {
  if (weights.length === 0) throw new Unreadable("models.no_weights");
  const most = store.page.limits.max_files;
  if (weights.length > most) throw new Unreadable("models.too_many_shards", { most });
  const contents = await contentsOf(weights, store.page.limits);
  return new MappingScreen(store, { title: titleOf(weights), config, contents }, open);
}

/** @param {unknown} error @returns {[string, Record<string, unknown>]} */
function messageOf(error) {
  if (error instanceof TooManyFiles) return ["models.too_many_files", { most: MOST }];
  if (error instanceof Unreadable) return [error.key, error.values];
  if (error instanceof DOMException) return ["models.gone", {}]; // the file was deleted after the choice
  throw error;
}
