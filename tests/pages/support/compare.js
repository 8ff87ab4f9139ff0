/** The Compare page as the tests use it. */

import assert from "node:assert/strict";
import { stageCells } from "./cells.js";
import { ATTENTION, Explore } from "./explore.js";
import { kept } from "./page.js";

export const A = { text: "a cat sat" };
export const B = { text: "a cat sat", model: { source: "seeded", seed: 1 } };
export const ADDRESS = "/compare?a.text=a%20cat%20sat&b.text=a%20cat%20sat&b.seed=1";

export class Compare extends Explore {
  /** Goes to an address and waits until the difference is drawn. */
  async open(address = ADDRESS) {
    await this.goto(address);
    await this.drawn();
  }

  whole() {
    return this.drawn();
  }

  drawn() {
    return this.see('[data-stage="weights"] [data-of="difference"] canvas[data-layer]');
  }

  /** A picture of a stage. @param {string} stage @param {"a" | "b" | "difference"} of */
  figure(stage, of) {
    return this.one(`[data-stage="${stage}"] [data-of="${of}"]`);
  }

  /** @param {string} stage @param {"a" | "b" | "difference"} of */
  canvas(stage, of) {
    return this.one("canvas", this.figure(stage, of));
  }

  colors() {
    return this.pageData().colors.light;
  }

  /** The difference of a stage in words. @param {string} stage */
  textOf(stage) {
    return this.one(`[data-stage="${stage}"] .difference`).textContent;
  }

  /** @param {"A" | "B"} name */
  side(name) {
    return this.in().getByRole("region", { name });
  }

  /** @param {"A" | "B"} name */
  sentence(name) {
    return this.in(this.side(name)).getByRole("textbox", { name: "Sentence" });
  }

  /** The numbers that the inspector shows. */
  numbers() {
    return this.all("output", this.inspector).map((each) => each.textContent);
  }

  /** Waits until a text stands in an element. @param {() => any} find @param {string | RegExp} text */
  says(find, text) {
    return this.until(() => {
      const found = find().textContent;
      assert.ok(typeof text === "string" ? found.includes(text) : text.test(found), `${found}: ${text}`);
    });
  }

  /** The numbers of a stage in each side, past the page. @param {string} stage @param {object[]} [questions] */
  async cells(stage, questions = [A, B]) {
    const replies = await Promise.all(questions.map((body) => this.json(ATTENTION, body)));
    return replies.map((reply) => stageCells(reply, stage, { layer: 0, head: 0, batch: 0 }));
  }
}

/** A comparison at an address, closed after the test. @param {any} test @param {string | null} [address] none: nothing is opened yet */
export async function openCompare(test, address = ADDRESS) {
  const page = kept(test, new Compare());
  if (address !== null) await page.open(address);
  return page;
}
