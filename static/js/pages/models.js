/** The models on the server, and files of one's own. */

import { readPage } from "../core/page.js";
import { find } from "../lib/dom.js";
import { createStore } from "../lib/store.js";
import { ownFiles } from "../models/own-files.js";
import { updateHeader } from "../shell/header.js";
import { watchSession } from "../shell/session.js";

/** @typedef {import("../core/page.js").Page & {families: string[], others: Record<string, string>}} ModelsPage */

const page = /** @type {ModelsPage} */ (readPage());
watchSession(page);
updateHeader();
ownFiles(find("#own-files"), createStore(page, {}));
