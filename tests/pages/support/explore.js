/** The Explore page as the tests use it: found by the hooks, roles and names it promises. */

import { userEvent } from "@testing-library/user-event";
import assert from "node:assert/strict";
import { VIEW } from "../../../static/js/core/address/fields.js";
import { BOX } from "./browser-parts.js";
import { alike, cellColors, pictureOf, stageCells } from "./cells.js";
import { Page, kept } from "./page.js";

export const SEEDED = "/?source=seeded"; // the default question; "/" alone opens a trained model
export const ATTENTION = "/api/v1/attention";

/** @typedef {import("./page.js").Asked} Asked */

const isQuestion = ({ path, body }) => path === ATTENTION && (body.stages ?? "default").length > 1;

/** An address without what is looked at, and without the model that it need not name. @param {Location} location */
function questionAt({ search, hash }) {
  const names = new URLSearchParams(search);
  for (const name of Object.keys(VIEW)) names.delete(name);
  if (names.get("source") === "seeded") names.delete("source");
  names.sort();
  return `${search && "?"}${names}${hash}`;
}

export class Explore extends Page {
  /** @type {Map<string, Asked>} what was asked at the addresses so far: a page that comes back there need not ask again */
  answered = new Map();
  /** @type {any} the picture that was pointed at last */
  pointed = null;
  /** Where the page was opened, or walked to: an address without what is looked at. */
  place = "";

  close() {
    super.close();
    this.pointed = null; // it would keep the document
  }

  /** Goes to an address and waits until every part of the page is there. */
  async open(address = SEEDED) {
    await this.goto(address);
    await this.see('[data-stage="weights"] canvas[data-layer][data-head]');
    await this.whole();
  }

  /** Waits for the scripts that come after the first picture: the help is enabled last. */
  async whole() {
    // Found once: each look at the whole document costs as much as a script. A button that says why it is disabled
    // has its script.
    const [help, change, inspector] = [this.one("[data-help]"), this.one("#change"), this.inspector];
    const embedded = this.document.body.matches(".embed");
    const waits = '.button:disabled:not(.sign, [title]:not([title=""]))';
    await this.rests(
      () => !help.disabled && !change?.querySelector(waits) && (embedded || inspector.hasChildNodes()),
      "a script never came",
    );
  }

  /**
   * Goes to another address in the same page, as Back and Forward do, and waits for its answer. What no address
   * says goes on: steps to undo, open drawers, what was typed for a model that was left.
   * @param {string} address of the same page in the same language
   */
  async walk(address) {
    for (const dialog of this.all("dialog[open]")) dialog.close();
    this.document.activeElement.blur();
    if (this.pointed?.isConnected) this.pointed.dispatchEvent(new this.window.Event("pointerleave", { bubbles: true }));
    await this.user.pointer({ target: this.document.body });
    this.unroute();
    await this.arrived();
    this.asked = [];
    this.user = userEvent.setup({ document: this.document, delay: null }); // no key is held down
    this.window.history.pushState(null, "", address);
    this.window.dispatchEvent(new this.window.PopStateEvent("popstate"));
    await this.settled();
  }

  /** Waits until the question is answered, and all that the page requests for it is there. */
  async settled() {
    const { body } = this.document;
    do {
      await this.rests(() => body.dataset.status === "ready", "the question was never answered");
      await this.arrived();
    } while (body.dataset.status !== "ready" || this.waits); // a reply may have led to another request
    this.place = questionAt(this.window.location);
    const asked = this.asked.findLast(isQuestion);
    if (asked) this.answered.set(this.place, asked);
  }

  get sentence() {
    return this.in(this.one("#sentence")).getByRole("textbox", { name: /^(Sentence|句子)$/ });
  }

  get inspector() {
    return this.one("#inspector");
  }

  card(stage) {
    return this.one(`[data-stage="${stage}"]`);
  }

  canvas(stage) {
    return this.one(`[data-stage="${stage}"] canvas[data-layer][data-head]`);
  }

  grid(stage) {
    return this.in(this.card(stage)).getByRole("grid");
  }

  /** Opens the drawer of the options; without effect where it is open. */
  async drawer() {
    const line = await this.see("#options > .summary-line");
    if (line.getAttribute("aria-expanded") === "false") await this.click(line);
  }

  /** A control among the options, by its label; their drawer is opened for it. @param {string} name */
  async field(name) {
    await this.drawer();
    return this.in(this.one("#options")).findByLabelText(new RegExp(`^${name}`));
  }

  /** Opens the menu of what is seldom changed; without effect where it is open. */
  async more() {
    await this.drawer();
    const line = this.in().getByText(/^More( \d+ changed)?$/);
    if (!line.closest("details")?.open) await this.click(line);
  }

  /** The body of the question that an act sends. @param {() => any} act */
  async ask(act) {
    const sent = await this.request(act, ({ path, body }) => path === ATTENTION && !("parameters" in body));
    return sent.body;
  }

  /** The body of the last question the page asked; a request beside one names one stage or none. */
  question() {
    return (this.asked.findLast(isQuestion) ?? this.answered.get(this.place)).body;
  }

  /** The reply to a question, as JSON, past the page. @param {object} body */
  answer(body = this.question()) {
    return this.json(ATTENTION, body);
  }

  /** A part of the trace of the page's question, past the page. @param {string} part @param {Record<string, any>} [query] */
  async fromTrace(part, query = {}) {
    const { trace } = await this.answer({ ...this.question(), stages: null });
    const names = new URLSearchParams(query);
    return this.json(`/api/v1/traces/${trace}/${part}${names.size ? `?${names}` : ""}`);
  }

  pageData() {
    return JSON.parse(this.one("#page-data").textContent);
  }

  /** Moves the pointer over a cell of a stage's picture. @param {string} stage @param {[number, number]} cell @param {[number, number]} shape */
  hover(stage, cell, shape) {
    return this.pointAt(this.canvas(stage), cell, shape, "pointermove");
  }

  /** Clicks a cell of a stage's picture. */
  pick(stage, cell, shape) {
    return this.pointAt(this.canvas(stage), cell, shape, "pointermove", "pointerdown", "pointerup", "click");
  }

  /** @param {any} picture @param {[number, number]} cell row and column @param {[number, number]} shape @param {...string} events */
  async pointAt(picture, [row, col], [rows, cols], ...events) {
    const clientX = (BOX * (col + 0.5)) / cols;
    const clientY = (BOX * (row + 0.5)) / rows;
    const { PointerEvent, MouseEvent } = this.window;
    const Kind = PointerEvent ?? MouseEvent;
    this.pointed = picture;
    for (const name of events) picture.dispatchEvent(new Kind(name, { bubbles: true, clientX, clientY, button: 0 }));
  }

  /**
   * Waits until every point painted for a stage has the colour of its number: weights from 0 to 1, over many keys by
   * their root; every other stage centred on zero, masked scores in the range of the scaled ones.
   * @param {object} body the question
   * @param {string[]} [stages]
   * @param {{layer?: number, head?: number, batch?: number, theme?: string}} [place]
   * @returns {Promise<any>} the reply the numbers came from
   */
  async shows(body, stages = ["weights"], { layer = 0, head = 0, batch = 0, theme = "light" } = {}) {
    const reply = await this.answer(body);
    const colors = this.pageData().colors[theme];
    for (const stage of stages) {
      const cells = stageCells(reply, stage, { layer, head, batch });
      const spanned = stage === "masked_scores" ? "scaled_scores" : stage;
      const range = stage === "weights" ? null : stageCells(reply, spanned, { layer, head, batch });
      const wanted = cellColors(cells, range, colors);
      await this.until(() => assert.ok(alike(pictureOf(this.canvas(stage)), wanted), `the picture of ${stage}`));
    }
    return reply;
  }
}

/**
 * An Explore page at an address, closed after the test.
 * @param {any} test
 * @param {string | null} [address] none: nothing is opened yet
 * @param {ConstructorParameters<typeof Page>[0]} [options]
 */
export async function openExplore(test, address = SEEDED, options = {}) {
  const page = kept(test, new Explore(options));
  if (address !== null) await page.open(address);
  return page;
}
