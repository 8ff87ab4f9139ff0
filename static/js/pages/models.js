import { captureScreen } from "../captures/capture-screen.js";
import { chosenCapture } from "../captures/chosen-capture.js";
import { readPage } from "../core/page.js";
import { find } from "../lib/dom.js";
import { createStore } from "../lib/store.js";
import { showOffers } from "../models/catalogue.js";
import { fileInput } from "../models/file-input.js";
import { updateHeader } from "../shell/header.js";
import { watchSession } from "../shell/session.js";

/** @typedef {Page & {families: string[], others: Record<string, string>, offers: import("../models/catalogue.js").Offer[]}} ModelsPage */

const page = /** @type {ModelsPage} */ (readPage());
watchSession(page);
updateHeader();
const store = createStore(page, {});
fileInput(find("#own-files"), store, async (files) => {
  const chosen = await chosenCapture(files, page.limits);
  return chosen && captureScreen(store, chosen);
});
if (page.offers.length) showOffers(find("#offers"), store, page.offers);
