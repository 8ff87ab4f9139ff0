import { readPage } from "../core/page.js";
import { find } from "../lib/dom.js";
import { createStore } from "../lib/store.js";
import { Spectra } from "../models/spectra.js";
import { tensorSearch } from "../models/tensor-search.js";
import { updateHeader } from "../shell/header.js";
import { watchSession } from "../shell/session.js";

/** @typedef {Page & {model: import("../models/spectra.js").Model}} ModelPage */

const page = /** @type {ModelPage} */ (readPage());
watchSession(page);
updateHeader();
const store = createStore(page, {});
const table = /** @type {HTMLTableElement} */ (find("#tensors table"));
find("#tensors .scroll").before(tensorSearch(store, table));
find("#spectra").append(new Spectra(store, page.model).root);
