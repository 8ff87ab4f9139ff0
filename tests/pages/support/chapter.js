/** A chapter of the course as the tests use it: its figures, its exercises and the answers that the engine computes. */

import assert from "node:assert/strict";
import { Page, kept } from "./page.js";

/** @typedef {{kind: string, open: boolean, choices: {value: string, label: string}[]}} Exercise */

export class Chapter extends Page {
  /** Goes to a chapter and waits until every figure is drawn. @param {string} name @param {string} [query] */
  async open(name, query = "") {
    this.name = name;
    await this.goto(`/learn/${name}${query}`);
    for (const figure of this.all("[data-figure]")) await this.drawn(figure);
  }

  /** @param {any} figure */
  drawn(figure) {
    return this.until(() => {
      assert.equal(figure.dataset.status, "ready", figure.dataset.figure);
      assert.ok(this.one("canvas, svg", figure)?.checkVisibility(), figure.dataset.figure);
    });
  }

  get data() {
    return JSON.parse(this.one("#page-data").textContent);
  }

  /** Where the reader's sentence is typed, or null. */
  get sentence() {
    return this.in(this.one("#own")).queryByLabelText(/^Your sentence/);
  }

  figure(name) {
    return this.one(`[data-figure="${name}"]`);
  }

  /** The picture of a stage in a figure. */
  picture(figure, stage) {
    return this.one(`[data-figure="${figure}"] [data-stage="${stage}"] canvas[data-layer]`);
  }

  /** The forms of the exercises, once they have come. @returns {Promise<any[]>} */
  async forms() {
    await this.see(".exercise");
    return this.all(".exercise");
  }

  /** The exercises and the right answer to each, past the page. @returns {Promise<{exercise: Exercise, right: string, wrong: string}[]>} */
  async exercises(seed = 0) {
    const address = `/api/v1/learn/${this.name}`;
    const { exercises } = await this.json(`${address}/exercises?seed=${seed}&sentences=true`);
    const { marks } = await this.json(`${address}/marks`, {
      seed,
      answers: exercises.map(() => "no answer"),
      sentences: true,
    });
    return exercises.map((exercise, at) => ({ exercise, ...answersTo(exercise, marks[at].answer) }));
  }

  /** Answers an exercise. @param {any} form @param {Exercise} exercise @param {string} answer */
  async predict(form, { choices }, answer) {
    if (choices.length) await this.click(this.one(`input[value="${answer}"]`, form));
    else await this.fill(this.in(form).getByRole("textbox", { name: "Your answer" }), answer);
    await this.click(this.in(form).getByRole("button"));
  }
}

/** @param {Exercise} exercise @param {string} given the answer as the page shows it */
function answersTo({ choices }, given) {
  if (!choices.length) return { right: given, wrong: "−123456" };
  const isRight = ({ label }) => label === given;
  return { right: choices.find(isRight).value, wrong: choices.find((each) => !isRight(each)).value };
}

/** A chapter, closed after the test. @param {any} test @param {string} name @param {string} [query] */
export async function openChapter(test, name, query) {
  const page = kept(test, new Chapter());
  await page.open(name, query);
  return page;
}
