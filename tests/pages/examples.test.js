/** The menu of examples: every worked example, with its published and computed figures. */

import assert from "node:assert/strict";
import test from "node:test";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";

/** The page, and the examples as the server lists them. */
async function openExamples(t) {
  const page = await openExplore(t);
  const { examples } = await page.json("/api/v1/examples");
  return { page, examples, named: (id) => examples.find((example) => example.id === id) };
}

/** The panel of the menu, once it is open and filled. */
async function openMenu(page) {
  const menu = page.one("#examples");
  if (!page.one("details", menu).open) await page.click(page.in(menu).getByText("Examples"));
  return page.see(".gallery, .panel p", menu).then(() => menu);
}

/** The card of an example. */
async function card(page, { title, about }) {
  const menu = await openMenu(page);
  return page.until(() => {
    const found = page.all("li button", menu).find(({ textContent }) => textContent === title + about);
    assert.ok(found, title);
    return found;
  });
}

full("the menu lists every example by its title, and says which one is open", async (t) => {
  const { page, examples } = await openExamples(t);
  assert.ok(examples.length >= 20);
  for (const example of examples) assert.ok((await card(page, example)).checkVisibility());
  const menu = page.one("#examples");
  const current = page.one(".gallery button[aria-current]", menu);
  assert.ok(current.textContent.includes("What is “it”?"));
  await page.click(current);
  assert.ok(page.in(menu).getByRole("status").textContent.includes("open already"));
  assert.ok(page.one(".panel", menu).checkVisibility());
});

test("every worked example opens with its published and computed figures", async (t) => {
  const { page, examples } = await openExamples(t);
  const worked = examples.filter(({ figures }) => figures.length);
  assert.ok(worked.length >= 10);
  for (const example of worked) {
    await page.click(await card(page, example));
    const given = page.in(page.inspector);
    await given.findByRole("heading", { name: example.title });
    const figures = page.all("li", page.inspector).filter(({ textContent }) => textContent.includes("published"));
    assert.equal(figures.length, example.figures.length);
    for (const [index, { agrees, why }] of example.figures.entries())
      for (const words of [agrees ? "agrees" : "differs", "computed", why ?? ""])
        assert.ok(figures[index].textContent.includes(words), `${example.id}: ${words}`);
  }
});

full("an opened example is drawn from its own numbers", async (t) => {
  const { page, named } = await openExamples(t);
  for (const id of ["family-outing", "causal-four", "crafted-previous-token", "cat-fish"]) {
    const body = await page.ask(async () => page.click(await card(page, named(id))));
    const reply = await page.shows(body, ["x", "scores", "weights"]);
    if (id !== "family-outing") continue;
    const { textContent } = page.card("weights"); // few cells: their numbers stand in them
    for (const weight of reply.layers[0].weights[0][0].flat()) assert.ok(textContent.includes(weight.toFixed(3)));
  }
  assert.equal(page.sentence.value, "猫爱吃鱼");
});

full("an example stays when the page is reloaded", async (t) => {
  const { page, named } = await openExamples(t);
  const example = named("three-tensor");
  const body = await page.ask(async () => page.click(await card(page, example)));
  await page.shows(body, ["q", "weights"]);
  await page.reload();
  await page.see("[data-stage=weights] canvas[data-layer]");
  await page.shows(body, ["q", "weights"]);
  await page.in(page.inspector).findByRole("heading", { name: example.title });
});

full("without examples the menu says so and the page works", async (t) => {
  const page = await openExplore(t, null);
  page.route(/\/api\/v1\/examples/, () => {
    throw new TypeError("Failed to fetch");
  });
  await page.open();
  const menu = page.one("#examples");
  await page.click(page.in(menu).getByText("Examples"));
  await page.until(() => assert.ok(menu.textContent.includes("No examples")));
  await page.shows(await page.ask(() => page.fill(page.sentence, "still here")));
});
