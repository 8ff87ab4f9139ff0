/** The exercises of a chapter: a wrong answer gets a hint, a second the computed one; others come with another seed. */

import assert from "node:assert/strict";
import test from "node:test";
import { Chapter } from "./support/chapter.js";
import { later } from "./support/clock.js";
import { full } from "./support/full.js";
import { Page, kept } from "./support/page.js";

/** The exercises of the chapter about scores, whose first one asks for a number. */
async function openScores(t) {
  const page = kept(t, new Chapter());
  page.name = "scores";
  await page.goto("/learn/scores");
  const forms = await page.forms();
  return { page, forms, exercises: await page.exercises() };
}

test("an answer that is too long is refused in words", async (t) => {
  const { page, forms } = await openScores(t);
  const [form] = forms;
  const verdict = page.in(form).getByRole("status");
  await page.fill(page.in(form).getByRole("textbox", { name: "Your answer" }), "9".repeat(10_000));
  await page.click(page.in(form).getByRole("button", { name: "Check" }));
  await page.until(() => assert.match(verdict.textContent, /200/));
});

full("two wrong predictions are answered with the computed figure", async (t) => {
  const { page, forms, exercises } = await openScores(t);
  const [form] = forms;
  const [{ right }] = exercises;
  const verdict = page.in(form).getByRole("status");
  const answer = page.in(form).getByRole("textbox", { name: "Your answer" });
  const press = (name) => page.click(page.in(form).getByRole("button", { name }));
  const says = (words) => page.until(() => assert.ok(verdict.textContent.includes(words), verdict.textContent));
  await press("Check");
  assert.equal(verdict.textContent, "Write a prediction first.");
  await page.fill(answer, "many");
  await press("Check");
  await says("Write a number"); // and the try is not spent
  await page.fill(answer, "12345/0,5"); // a fraction is a number
  await press("Check");
  await says("Hint. Multiply first by first");
  const marked = page.asked.length;
  await press("Try again"); // the same answer once more costs no try
  assert.equal(page.asked.length, marked);
  assert.ok(page.one(".hint", form));
  await page.fill(answer, "54321");
  await press("Try again");
  await says(`Computed: ${right}.`);
  assert.ok(page.one(".way", form).textContent.endsWith(`= ${right}`));
  await page.goto(page.in(form).getByRole("link").getAttribute("href"));
  await page.see('[data-stage="scores"] canvas[data-layer]');
});

test("a near miss says what was done, and an answer that was shown earns nothing", async (t) => {
  const page = kept(t, new Chapter());
  page.name = "softmax";
  await page.goto("/learn/softmax");
  const forms = await page.forms();
  const exercises = await page.exercises();
  const at = exercises.findIndex(({ exercise }) => exercise.kind === "one_weight");
  const [form, { exercise, right }] = [forms[at], exercises[at]];
  await page.predict(form, exercise, `${Number(right) * -1}`);
  await page.until(() => assert.equal(page.one(".near", form).textContent, "The size is right. Look at the sign."));
  await page.predict(form, exercise, "77");
  await page.until(() => assert.ok(page.one(".way", form)));
  await page.predict(form, exercise, `${Number(right) * 100} %`);
  await page.until(() => assert.equal(form.className, "exercise right"));
  assert.equal(page.one(".ticked", form).hidden, true);
  await page.click(page.in(form).getByRole("button", { name: "Another one" }));
  await page.until(() => assert.notEqual(page.all(".exercise")[at], form));
  const next = page.all(".exercise");
  const others = (all) => all.filter((_, place) => place !== at);
  assert.deepEqual(others(next), others(forms)); // as they were
  const another = (await page.exercises(1))[at];
  await page.predict(next[at], another.exercise, another.right);
  await page.until(() => assert.equal(page.one(".ticked", next[at]).hidden, false));
});

test("a seed that is none is named, and seed 0 shown", async (t) => {
  const page = kept(t, new Chapter());
  for (const seed of ["-3", "abc", "99999999999", ""]) {
    page.name = "scores";
    await page.goto(`/learn/scores?seed=${seed}`);
    await page.forms();
    assert.match(page.one("#practice").textContent, /from 0 to 999,999,999. These are the exercises of seed 0/);
  }
  await page.click(page.in(page.one("#practice")).getByRole("button", { name: "Other exercises" }));
  await page.addressHas("?seed=1");
  assert.doesNotMatch(page.one("#practice").textContent, /whole number/);
});

test("a sentence of one's own is compared with a model answer, and stays on the page", async (t) => {
  const { page, forms, exercises } = await openScores(t);
  const at = exercises.findIndex(({ exercise }) => exercise.open);
  const form = forms[at];
  const verdict = page.in(form).getByRole("status");
  await page.click(page.in(form).getByRole("button"));
  assert.equal(verdict.textContent, "Write a sentence first.");
  await page.fill(page.in(form).getByRole("textbox", { name: "Your explanation" }), "Because it fits.");
  await page.click(page.in(form).getByRole("button"));
  await page.until(() => assert.ok(page.one(".model-answer", form).textContent.endsWith(exercises[at].right)));
  assert.ok(!page.asked.some((request) => JSON.stringify(request).includes("Because it fits")));
  assert.equal(form.className, "exercise own-words");
});

full("other exercises are in the address and on the worksheet", async (t) => {
  const { page, forms, exercises } = await openScores(t);
  const prompts = () => page.all(".exercise .prompt").map((each) => each.textContent);
  const before = prompts();
  await page.click(page.button("Other exercises"));
  await page.until(() => assert.notDeepEqual(prompts(), before));
  await page.addressHas("?seed=1");
  const others = await page.json("/api/v1/learn/scores/exercises?seed=1&sentences=true");
  others.exercises.forEach(({ prompt }, at) => assert.ok(prompts()[at].startsWith(prompt)));
  await page.goto(page.in().getByRole("link", { name: "Worksheet to print" }).getAttribute("href"));
  assert.equal(page.all(".key li").length, exercises.length);
  assert.equal(forms.length, exercises.length);
});

test("other exercises that are late, or do not come, cost nothing that was typed", async (t) => {
  const { page } = await openScores(t);
  const box = () => page.all('input[name^="choice"]').find((input) => input.type === "text");
  const held = [];
  page.route(/\/exercises\?seed=1/, () => {
    held.push(later());
    return held.at(-1).reply;
  });
  const others = page.button("Other exercises");
  await page.click(others);
  await page.click(others);
  await page.until(() => assert.ok(held.length));
  held[0].send();
  await page.addressHas("?seed=1");
  await page.fill(box(), "12");
  for (const { send } of held) send();
  await page.arrived();
  assert.equal(box().value, "12");
  page.route(/\/exercises\?seed=2/, () => {
    throw new TypeError("connection refused");
  });
  await page.click(others);
  await page.until(() => assert.match(page.one("#practice > .error").textContent, /does not answer/));
  assert.equal(box().value, "12");
  page.unroute();
  await page.click(others);
  await page.addressHas("?seed=2");
  assert.equal(page.one("#practice > .error").textContent, "");
});

test("a sentence typed after other exercises keeps them in the address and in the links to both languages", async (t) => {
  const { page } = await openScores(t);
  await page.click(page.button("Other exercises"));
  await page.addressHas("?seed=1");
  const languages = () => page.all("a[data-lang]").map((link) => new URL(link.href).searchParams);
  assert.deepEqual(
    languages().map((query) => query.get("seed")),
    ["1", "1"],
  );
  await page.fill(page.sentence, "one two three");
  await page.addressHas("text=one+two+three");
  await page.addressHas("seed=1");
  for (const query of languages()) {
    assert.equal(query.get("seed"), "1");
    assert.equal(query.get("text"), "one two three");
  }
});

full("of two answers on their way the last is marked", async (t) => {
  const { page, forms, exercises } = await openScores(t);
  const at = exercises.findIndex(({ exercise }) => !exercise.choices.length);
  const { exercise, right, wrong } = exercises[at];
  const held = [];
  page.route(/\/marks$/, ({ body }) => {
    held.push({ body, ...later() });
    return held.at(-1).reply;
  });
  for (const [count, answer] of [wrong, right].entries()) {
    await page.predict(forms[at], exercise, answer);
    await page.until(() => assert.equal(held.length, count + 1));
  }
  const answers = await Promise.all(held.map(({ body }) => page.json("/api/v1/learn/scores/marks", body)));
  const [late, last] = answers.map((answer) => Response.json(answer));
  held[1].send(last);
  await page.until(() => assert.equal(forms[at].className, "exercise right"));
  held[0].send(late);
  await page.until(() => assert.ok(late.bodyUsed));
  assert.equal(forms[at].className, "exercise right");
});

test("progress is saved as a file, and loaded where another course was begun", async (t) => {
  const page = kept(
    t,
    new Page({ storage: { "exercises-solved": "asking 0.0 0.row_sum 0.true_reason 3.1", "chapters-read": "asking" } }),
  );
  await page.goto("/learn");
  const progress = page.in(page.in().getByRole("region", { name: "Your progress" }));
  progress.getByText(/^1 of \d+ chapters read, 3 of \d+ exercises solved/);
  assert.ok(!page.one('[data-finished="asking"]').hidden);
  const saved = [];
  page.window.Blob = Blob;
  Object.assign(page.window.URL, { createObjectURL: (blob) => saved.push(blob), revokeObjectURL: () => undefined });
  page.window.HTMLAnchorElement.prototype.click = () => undefined;
  await page.click(progress.getByRole("button", { name: "Save progress as a file" }));
  const text = await saved[0].text();
  await page.click(page.button("Forget what I solved"));
  progress.getByText(/read, 0 of/);
  const load = progress.getByLabelText("Load progress");
  const choose = (words) =>
    page.user.upload(load, new page.window.File([words], "a.json", { type: "application/json" }));
  await choose("{}");
  await page.until(() => progress.getByText(/^This file holds no progress/));
  await choose(text);
  await page.until(() => progress.getByText("Loaded and added to what is here."));
  progress.getByText(/read, 3 of/);
  assert.ok(!page.one('[data-finished="asking"]').hidden);
});

test("a chapter is marked as read by its reader, and the contents say so", async (t) => {
  const page = kept(t, new Chapter());
  page.name = "scores";
  await page.goto("/learn/scores");
  await page.forms();
  await page.click(page.in().getByRole("checkbox", { name: "I have read this chapter" }));
  await page.goto("/learn");
  page.in().getByText(/^1 of \d+ chapters read/);
  assert.deepEqual(
    page.all("[data-read]:not([hidden])").map(({ dataset }) => dataset.read),
    ["scores"],
  );
});
