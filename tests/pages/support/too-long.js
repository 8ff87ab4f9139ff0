/** A text that is too long for whole maps, and what the page says of it. */

import assert from "node:assert/strict";
import { Explore } from "./explore.js";
import { kept } from "./page.js";

export const WORDS = Array.from({ length: 4500 }, (_, at) => `w${at % 97}`); // above 4,096 no map is whole
export const OF_THE_API = /GET |\/traces|\?rows|d_model|num_heads|too_large/;

export class TooLong extends Explore {
  /** The card that stands in the place of a tab, where there is one. */
  get card() {
    return this.all(".too-long").find((card) => card.checkVisibility()) ?? null;
  }

  /** Waits until a card has a text. @param {string} text */
  says(text) {
    return this.until(() => assert.ok(this.card?.textContent.includes(text), text));
  }

  saysNothing() {
    return this.until(() => assert.equal(this.card, null));
  }

  tab(name) {
    return this.in(this.one("[role=tablist]")).getByRole("tab", { name });
  }

  /** Presses a button of the card. @param {string | RegExp} name */
  press(name) {
    return this.click(this.button(name, this.card));
  }

  /** Waits until the bar names the number of tokens. @param {string} size */
  hasTokens(size) {
    return this.until(() => assert.ok(this.one("#tokens .count").textContent.includes(`of ${size} tokens`), size));
  }
}

/** An address with a text in its fragment. @param {string} address @param {string[]} words */
export const withText = (address, words) =>
  `${address}#${encodeURIComponent(JSON.stringify({ text: words.join(" ") }))}`;

/** @param {any} test @param {string} address @param {string[]} words */
export async function openTooLong(test, address, words) {
  const page = kept(test, new TooLong());
  await page.goto(withText(address, words));
  return page;
}
