/** Every control changes the question, and the picture follows it. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pictureOf } from "./support/cells.js";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";

const STAGES = ["x", "q", "k", "v", "scores", "scaled_scores", "masked_scores", "weights"];
const ALL = [...STAGES, "head_outputs", "concat", "output"];

const SMALL = "/?text=the%20cat%20sat%20down&d_model=16";

/** A part of a question. @param {any} body @param {string} path */
const at = (body, path) => path.split(".").reduce((value, name) => value[name], body);

const options = (page) => page.in(page.in().getByRole("group", { name: "Model and options" }));
const number = (page, name) => options(page).findByRole("spinbutton", { name });
const list = (page, name) => options(page).findByRole("combobox", { name });
const type = (page, name, text) => page.ask(async () => page.fill(await number(page, name), text));

/** Chooses an option by its words; the question that is sent. */
async function choose(page, name, words) {
  const select = await list(page, name);
  const { value } = page.in(select).getByRole("option", { name: words });
  return page.ask(() => page.choose(select, value));
}

/** An Explore page with its drawer open. */
async function openDrawer(visit, address = SMALL) {
  const page = await visit(address);
  await page.drawer();
  return page;
}

describe("controls", () => {
  const visit = onePage();

  test("numbers of the model change the answer", async () => {
    const page = await openDrawer(visit);
    for (const [name, text, path, stage] of [
      ["heads", "8", "model.num_heads", "q"],
      ["d_model", "32", "model.d_model", "x"],
      ["seed", "42", "model.seed", "weights"],
    ]) {
      const body = await type(page, name, text);
      assert.equal(at(body, path), Number(text));
      await page.shows(body, [stage, "weights"]);
    }
  });

  test("mask, scale and temperature change the answer", async () => {
    const page = await openDrawer(visit);
    const open = await choose(page, "Mask", "none");
    assert.equal(open.causal, false);
    await page.shows(open, ["masked_scores", "weights"]);
    const cells = pictureOf(page.canvas("weights")).flat();
    assert.ok(cells.every(([, , , opacity]) => opacity === 255));
    const unscaled = await choose(page, "Scale", "none");
    assert.equal(unscaled.scale, "none");
    await page.shows(unscaled, ["scaled_scores", "weights"]);
    await choose(page, "Scale", "a number");
    const scaled = await type(page, /^Scale/, "0.05");
    assert.equal(scaled.scale, 0.05);
    await page.shows(scaled, ["scaled_scores", "weights"]);
    const warm = await type(page, /^Temperature/, "4");
    assert.equal(warm.temperature, 4);
    await page.shows(warm, ["scaled_scores", "weights"]);
    const slider = page.in().getByRole("slider");
    const hot = await page.ask(() => page.fill(slider, slider.max));
    assert.equal(hot.temperature, 10);
    await page.shows(hot);
    assert.equal((await number(page, /^Temperature/)).value, "10");
  });

  full("a crafted head looks where its name says", async () => {
    const page = await openDrawer(visit);
    const { model } = await page.ask(async () => page.choose(await list(page, "Model"), "crafted"));
    assert.equal(model.source, "crafted");
    for (const [words, name] of [
      [/^look at the first token/, "first_token"],
      [/^look everywhere/, "uniform"],
    ]) {
      const body = await choose(page, /^heads that/, words);
      assert.deepEqual(body.model, { source: "crafted", name });
      await page.shows(body, ALL);
    }
  });

  full("the source of the model leaves what was typed for another", async () => {
    const page = await openDrawer(visit, "/?text=a%20dog&d_model=16");
    const body = await type(page, "seed", "5");
    await page.shows(body);
    await page.ask(async () => page.choose(await list(page, "Model"), "crafted"));
    await page.choose(await list(page, "Model"), "seeded");
    await page.until(async () => assert.equal((await number(page, "seed")).value, "5"));
    await page.shows(body);
  });

  full("numbers of the menu change the answer", async () => {
    const page = await openDrawer(visit);
    await page.more();
    for (const [name, text, path, stage] of [
      ["key/value heads", "2", "model.num_kv_heads", "k"],
      ["d_k", "8", "model.d_k", "q"],
      ["d_v", "8", "model.d_v", "v"],
      ["window", "3", "window", "masked_scores"],
      ["stride", "3", "stride", "masked_scores"],
      ["open prefix", "2", "prefix", "masked_scores"],
      ["padded length", "20", "context_length", "weights"],
    ]) {
      const body = await type(page, new RegExp(`^${name}`), text);
      assert.equal(at(body, path), Number(text));
      await page.shows(body, [stage]);
    }
  });

  full("choices of the menu change the answer", async () => {
    const page = await openDrawer(visit);
    await page.more();
    for (const [name, words, path, stage] of [
      ["initialisation", "orthogonal", "model.init", "q"],
      ["shared matrices", "qkv", "model.share", "v"],
      ["positions", "none", "model.positions", "x"],
      ["tokenizer", "characters", "tokenizer", "x"],
    ]) {
      const body = await choose(page, new RegExp(`^${name}`), words);
      assert.equal(at(body, path), words);
      await page.shows(body, [stage]);
    }
    const press = (name) =>
      page.ask(() => page.click(options(page).getByRole("checkbox", { name: new RegExp(`^${name}`) })));
    assert.equal((await press("biases")).model.bias, true);
    const body = await press("output projection");
    assert.equal(body.model.output_projection, false);
    await page.shows(body, ["output"]);
  });

  test("a causal mask that the address names is the causal mask", async () => {
    const page = await openDrawer(visit, "/?causal=true");
    assert.equal((await list(page, "Mask")).selectedOptions[0].textContent, "causal");
  });
});
