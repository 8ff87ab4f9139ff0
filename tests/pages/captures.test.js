/** Attention that another program saved: recognised on the page, named, sent, and shown from the first stage it has. */

import assert from "node:assert/strict";
import test from "node:test";
import { FormRequest } from "./support/form-request.js";
import { drop, tensor, weightsFile } from "./support/files.js";
import { full } from "./support/full.js";
import { Page, kept } from "./support/page.js";
import { openExplore } from "./support/explore.js";

const TOKENS = ["The", "cat", "sat"];

/** Weights of 2 layers × 4 heads × 3 tokens. */
function maps() {
  const row = (at) => (at % 3 === 0 ? [1, 0, 0] : at % 3 === 1 ? [0.25, 0.75, 0] : [0.5, 0, 0.5]);
  const values = Array.from({ length: 2 * 4 * 3 }, (_, at) => row(at)).flat();
  return weightsFile("run.safetensors", { attentions: { shape: [2, 4, 3, 3], values } });
}

/** What was sent, and the address that is opened with it. */
async function sendAs(page, screen, text) {
  page.window.XMLHttpRequest = FormRequest.bind(null, page.window.fetch);
  const box = page.in(screen).getByLabelText("Tokens");
  const button = page.in(screen).getByText("Send and open in Explore");
  await page.fill(box, "The");
  assert.ok(screen.textContent.includes("1 token is named, and the map has 3: name every one, special tokens too."));
  assert.ok(box.hasAttribute("aria-invalid"));
  assert.ok(button.disabled);
  await page.fill(box, text);
  assert.ok(!box.hasAttribute("aria-invalid"));
  await page.click(button);
  const [sent] = await page.until(() => {
    const found = page.asked.filter(({ method, path }) => method === "POST" && path === "/api/v1/captures");
    assert.equal(found.length, 1);
    return found;
  });
  return sent;
}

test("a file of attention that is dropped in Explore is named, sent, and its tokens are a list", async (t) => {
  const page = await openExplore(t);
  drop(page, maps());
  const screen = await page.see("dialog .capture");
  assert.ok(screen.textContent.includes("Attention of 2 layers × 4 heads × 3 tokens; name the tokens."));
  assert.equal(page.document.activeElement.textContent, "run");
  const sent = await sendAs(page, screen, TOKENS.join("\n"));
  assert.deepEqual(JSON.parse(sent.body.get("tokens")), [TOKENS]);
  assert.equal(sent.body.get("arrays").name, "run.safetensors");
});

test("with tokenizer.json among the files, ids are the tokens", async (t) => {
  const page = await openExplore(t);
  page.window.XMLHttpRequest = FormRequest.bind(null, page.window.fetch);
  const definition = JSON.stringify({ model: { vocab: Object.fromEntries(TOKENS.map((token, id) => [token, id])) } });
  drop(page, maps(), new File([definition], "tokenizer.json"));
  const screen = await page.see("dialog .capture");
  const box = page.in(screen).getByLabelText("Tokens");
  const button = page.in(screen).getByText("Send and open in Explore");
  assert.ok(button.disabled);
  await page.fill(box, "[0, 1, 7]");
  await page.click(button);
  await page.until(() =>
    assert.match(screen.textContent, /the id 7 at position 2, and the tokenizer has no such token/),
  );
  await page.fill(box, "0\n1\n2");
  await page.click(button);
  await page.until(() => assert.equal(page.asked.filter(({ path }) => path === "/api/v1/captures").length, 2));
  const { body } = page.asked.findLast(({ path }) => path === "/api/v1/captures");
  assert.deepEqual([JSON.parse(body.get("tokens")), body.get("tokenizer").name], [[[0, 1, 2]], "tokenizer.json"]);
});

full("stages begin where they were given, and tabs say what they lack", async (t) => {
  const page = await openExplore(t);
  const body = new page.window.FormData();
  body.append("arrays", maps());
  body.append("tokens", JSON.stringify(TOKENS));
  const { trace } = await (await page.window.fetch("/api/v1/captures", { method: "POST", body })).json();
  await page.open(`/?t=${trace}`);
  const cards = () => page.all("[data-stage].card").filter((card) => !card.closest("[hidden]"));
  await page.until(() => assert.deepEqual(cards().map(({ dataset }) => dataset.stage), ["weights"])); // prettier-ignore
  assert.equal(page.question().model.source, "captured");
  await page.until(() => assert.ok(page.one("#tokens").textContent.includes("sat")));
  await page.click(page.in().getByRole("tab", { name: "Gradients" }));
  await page.until(() => assert.ok(page.one("main").textContent.includes("a capture has its attention alone")));
  assert.ok(!page.one("#first").textContent.includes("Drop the head"));
  assert.deepEqual([page.sentence.value, page.sentence.readOnly], ["", true]);
  assert.match(page.sentence.placeholder, /Choose a model/);
  assert.equal(page.in().queryByRole("button", { name: /Drop/ }), null);
  assert.ok(!page.one("#options > .summary-line").textContent.includes("causal"));
  assert.equal(page.one("#options .set option:checked").textContent, "captured attention");
  assert.match(page.one(".checks").textContent, /among the given arrays\s*nothing to compare/);
});

test("the page of models takes one too, and other files as before", async (t) => {
  const page = kept(t, new Page());
  await page.goto("/models");
  await page.user.upload(page.one("input[data-choose=files]"), [weightsFile("w.safetensors", { a: tensor(4, 4) })]);
  await page.see(".mapping-screen");
  drop(page, maps());
  const screen = await page.see(".capture");
  const sent = await sendAs(page, screen, JSON.stringify(TOKENS));
  assert.deepEqual(JSON.parse(sent.body.get("tokens")), [TOKENS]);
});
