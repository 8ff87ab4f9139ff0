/** Files of weights are sent, recognised and drawn; what the page says of them. */

import assert from "node:assert/strict";
import test from "node:test";
import { later } from "./support/clock.js";
import { openExplore } from "./support/explore.js";
import { drop, identity, smallFile, weightsFile } from "./support/files.js";
import { full } from "./support/full.js";

const MODELS = /^\/api\/v1\/models$/;
const VOCAB = JSON.stringify(["a", "b", "c", "d"]);

const identities = (...names) => Object.fromEntries(names.map((name) => [name, identity(4)]));

/** The page with the model "uploaded" chosen, and a number of heads typed where there is one. */
async function openUploads(t, heads = "") {
  const page = await openExplore(t);
  await page.choose(await page.field("Model"), "uploaded");
  if (heads) await page.fill(await page.field("heads"), heads);
  return page;
}

/** Chooses a file with the button among the options. */
async function choose(page, file) {
  const input = await page.in(page.one("#options")).findByLabelText("Choose a file…");
  await page.user.upload(input, file);
}

const found = (page) => page.one("#options .found").textContent;
const refusal = (page) => page.one("#options .refusal")?.textContent ?? "";
/** Waits until a text has every part. @param {() => string} read */
const says = (page, read, ...parts) =>
  page.until(() => parts.forEach((part) => assert.ok(read().includes(part), `${part}: ${read()}`)));

/** Opens the mapping, and gives its box. */
async function mapping(page) {
  await page.click(page.in(page.one("#options")).getByText("mapping", { selector: "summary" }));
  return page.in(page.one("#options")).getByLabelText("mapping");
}

test("a chosen file is recognised and drawn, and found again by its address", async (t) => {
  const page = await openUploads(t, "1");
  await says(page, () => page.one("#notice").textContent, "No weights file yet.");
  const first = await page.ask(() => choose(page, smallFile()));
  assert.equal(first.model.source, "uploaded");
  await says(page, () => found(page), "small.safetensors", "canonical", "heads 1", "d_model 6");
  assert.equal((await page.shows(first)).shape.num_heads, 1);
  const heads = await page.field("heads");
  const body = await page.ask(() => page.fill(heads, "2"));
  await says(page, () => found(page), "heads 2");
  await page.click(await page.see('.thumbnail[data-layer="0"][data-head="1"]'));
  const reply = await page.shows(body, ["x", "q", "scores", "weights", "output"], { head: 1 });
  assert.equal(reply.shape.num_heads, 2);
  await page.open(page.address);
  assert.deepEqual(page.question().model, body.model);
  await page.shows(body, ["weights"], { head: 1 });
  await says(page, () => found(page), "small.safetensors");
  const again = await page.field("heads");
  assert.deepEqual([again.value, again.readOnly], ["2", true]);
});

test("an upload is deleted where it is recognised, and the page asks for another file", async (t) => {
  const page = await openUploads(t, "1");
  await page.ask(() => choose(page, smallFile()));
  await says(page, () => found(page), "small.safetensors");
  await page.until(() => assert.match(page.address, /&id=/));
  const [, id] = page.address.match(/&id=(\w+)/);
  const button = page.in(page.one("#options")).getByRole("button", { name: "Delete" });
  await page.click(button);
  assert.equal(button.textContent, "Delete for everyone?");
  button.blur();
  assert.equal(button.textContent, "Delete");
  await page.click(button);
  await page.click(button);
  await says(page, () => page.one("#notice").textContent, "No weights file yet.");
  assert.ok(button.hidden && !page.address.includes("&id="), page.address);
  assert.equal((await page.window.fetch(`/api/v1/models/${id}`)).status, 404);
});

full("the page says what replaces an embedding or w_o that a file lacks", async (t) => {
  const page = await openUploads(t);
  await page.fill(page.sentence, "a b c d");
  const sentences = ["drawn at random from seed 0, without positions", "the heads side by side"];
  const bare = identities("w_q", "w_k", "w_v");
  const whole = { ...bare, ...identities("w_o", "embedding") };
  const files = {
    "bare.safetensors": weightsFile("bare.safetensors", bare, { num_heads: "1" }),
    "whole.safetensors": weightsFile("whole.safetensors", whole, { num_heads: "1", vocab: VOCAB }),
  };
  for (const [name, file] of Object.entries(files)) {
    await page.ask(() => choose(page, file));
    await says(page, () => found(page), name);
    for (const sentence of sentences) assert.equal(found(page).includes(sentence), name.startsWith("bare"), sentence);
  }
});

full("tensors of other names are found by a mapping, which says whether to transpose them", async (t) => {
  const names = { w_q: "attn.query.weight", w_k: "attn.key.weight", w_v: "attn.value.weight" };
  const page = await openUploads(t, "1");
  await choose(page, weightsFile("foreign.safetensors", identities(...Object.values(names))));
  await says(page, () => refusal(page), "foreign.safetensors");
  const box = await mapping(page);
  const offered = JSON.parse(box.placeholder);
  assert.deepEqual(offered.w_q, { tensor: names.w_q, transpose: true });
  const notes = () => page.one("#options .notes").textContent;
  await page.shows(await page.ask(() => page.fill(box, JSON.stringify(names))), ["q", "weights"]);
  await says(page, notes, "not transposed");
  const turned = Object.entries(names).map(([ours, name]) => [ours, { ...offered.w_q, tensor: name }]);
  await page.ask(() => page.fill(box, JSON.stringify(Object.fromEntries(turned))));
  await page.until(() => assert.equal(notes(), ""));
});

full("a model chosen while a file is on its way stays", async (t) => {
  const page = await openUploads(t, "2");
  const { reply, send } = later();
  const replies = [];
  page.route(MODELS, async ({ url, body }) => {
    await reply;
    const sent = await fetch(url, { method: "POST", body });
    const text = await sent.text();
    replies.push(sent.status);
    return new Response(text);
  });
  await page.request(
    () => choose(page, smallFile()),
    ({ path }) => MODELS.test(path),
  );
  await page.shows(await page.ask(async () => page.choose(await page.field("Model"), "crafted")));
  send();
  await page.until(() => assert.deepEqual(replies, [201]));
  await page.addressHas("source=crafted");
  const models = await page.field("Model");
  assert.equal(models.value, "crafted");
  page.unroute();
  const body = await page.ask(() => page.choose(models, "uploaded"));
  assert.equal((await page.shows(body)).shape.num_heads, 2);
  await says(page, () => found(page), "small.safetensors");
});

full("a dropped file is used, with the number of heads that it says", async (t) => {
  const page = await openExplore(t);
  const body = await page.ask(() => assert.deepEqual(drop(page, smallFile({ num_heads: "2" })).slice(1), [true, true]));
  assert.equal((await page.shows(body, ["q", "weights"])).shape.num_heads, 2);
  assert.equal((await page.field("Model")).value, "uploaded");
  await says(page, () => found(page), "small.safetensors");
  assert.equal((await page.field("heads")).value, "2");
});
