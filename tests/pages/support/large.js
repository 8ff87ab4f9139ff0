/** Long texts, whose answers come as pictures and as the numbers that are read. */

import assert from "node:assert/strict";
import { BOX } from "./browser-parts.js";
import { kept } from "./page.js";
import { Explore } from "./explore.js";

/** Words as they stand in an address: w0, w1, … @param {number} n */
export const words = (n) => Array.from({ length: n }, (_, index) => `w${index}`).join("%20");

/** Counts the bytes of the replies of the API as the page reads them. */
export class Metered extends Explore {
  heatmapSide = BOX;
  bytes = 0;
  waiting = 0;

  async fetch(input, init) {
    this.waiting++;
    try {
      const response = await super.fetch(input, init);
      this.bytes += (await response.clone().arrayBuffer()).byteLength;
      return response;
    } finally {
      this.waiting--;
    }
  }

  /** Waits until the page has all it requested. */
  ready() {
    return this.until(() => {
      assert.equal(this.document.body.dataset.status, "ready");
      assert.equal(this.waiting, 0);
    });
  }

  /**
   * Some cells of a stage of the default head, past the page.
   * @param {number} n words of the text
   * @param {string} stage
   * @param {string} place rows, columns and head
   * @param {object} [model]
   * @returns {Promise<(number | null)[][]>}
   */
  async block(n, stage, place, model = {}) {
    const text = decodeURIComponent(words(n));
    const { trace } = await this.json("/api/v1/traces", { text, model: { source: "seeded", ...model } });
    return (await this.json(`/api/v1/traces/${trace}/stages/${stage}?${place}`)).values;
  }
}

/** @param {any} test @param {string} address */
export async function openLarge(test, address) {
  const page = kept(test, new Metered());
  await page.goto(address);
  await page.whole();
  return page;
}
