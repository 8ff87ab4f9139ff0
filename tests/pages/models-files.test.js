/** Files that are chosen on the page of models: what the page says of them before and after it sends them. */

import assert from "node:assert/strict";
import test from "node:test";
import { FormRequest } from "./support/form-request.js";
import { drop, identity, tensor, weightsFile } from "./support/files.js";
import { Page, kept } from "./support/page.js";

const CONFIG = { model_type: "strange", architectures: ["StrangeLM"], num_attention_heads: 3 };
const SEND = "Send and open in Explore";

/** The page of models with files chosen in it. @param {File[]} files @param {"files" | "folder"} [kind] */
async function choose(t, files, kind = "files") {
  const page = kept(t, new Page());
  await page.goto("/models");
  page.window.XMLHttpRequest = FormRequest.bind(null, page.window.fetch);
  const input = page.one(`input[data-choose=${kind}]`);
  input.multiple = true; // a folder is one choice of many files, which jsdom does not know
  await page.user.upload(input, files);
  return page;
}

/** A checkpoint of an unknown architecture: q, k and v in one matrix, two heads to a key. */
function strange() {
  const tensors = {};
  for (const layer of [0, 1, 2]) {
    const shapes = { "Wqkv.weight": [40, 24], "Wqkv.bias": [40], "out_proj.weight": [24, 24] };
    for (const [name, shape] of Object.entries(shapes)) tensors[`blocks.${layer}.attention.${name}`] = tensor(...shape);
  }
  return weightsFile("model.safetensors", { ...tensors, table: tensor(1000, 24) });
}

function strangeFolder() {
  const files = [strange(), new File([JSON.stringify(CONFIG)], "config.json")];
  for (const file of files) Object.defineProperty(file, "webkitRelativePath", { value: `strange/${file.name}` });
  return files;
}

const screen = (page) => page.see(".mapping-screen");
const summaryOf = (page, role) => page.one(`[data-role="${role}"] .sum`).textContent;
const heads = (page) => page.in().getByLabelText("heads");
const sender = (page) => page.in(page.one("#own-files")).getByText(SEND);
const sent = (page) => page.asked.filter(({ method }) => method === "POST");
const says = (element, words) => assert.ok(element.textContent.includes(words), element.textContent);

test("an unknown checkpoint is described in words before anything is sent", async (t) => {
  const page = await choose(t, strangeFolder(), "folder");
  const shown = await screen(page);
  assert.equal(page.document.activeElement, page.one("h2", shown));
  assert.equal(page.one("h2", shown).textContent, "strange");
  says(shown, "config.json says StrangeLM, an architecture that is not known");
  assert.equal(summaryOf(page, "w_q"), "40 × 24, rows 0 to 24, transposed → 24 × 24: d_model 24, 3 heads × d_k 8");
  assert.ok(summaryOf(page, "w_v").includes("1 key/value head × d_v 8"));
  assert.ok(summaryOf(page, "b_k").includes("24 to 32 → 8: a number for each column of w_k"));
  const fused = page.all("tbody tr", shown).find((row) => row.dataset.words === "blocks.1.attention.Wqkv.weight");
  assert.equal(fused.lastElementChild.textContent, "layers.1.w_q, layers.1.w_k, layers.1.w_v");
  await page.fill(heads(page), "5");
  assert.ok(summaryOf(page, "w_q").includes("24 columns are no multiple of 5 heads."));
  assert.equal(sender(page).disabled, true);
  await page.fill(heads(page), "3");
  await page.choose(page.in(shown).getByLabelText("Part of the tensor of W_K"), "all of it");
  assert.ok(summaryOf(page, "w_k").includes("no number of key/value heads"));
  await page.fill(page.in(shown).getByLabelText("layers from"), "1");
  says(page.one(".summary", shown), "2 layers");
  assert.deepEqual(sent(page), []);
});

test("maps under unknown names are named as such, and the names that are known", async (t) => {
  const maps = { layer0: tensor(4, 7, 7), layer1: tensor(4, 7, 7) };
  const page = await choose(t, [weightsFile("maps.safetensors", maps)]);
  says(await screen(page), "look like attention maps. To see them, name them layers.0.weights");
  const square = await choose(t, [weightsFile("square.safetensors", { a: tensor(24, 24), b: tensor(24, 24) })]);
  assert.ok(!(await screen(square)).textContent.includes("attention maps"));
});

test("what the server refuses stands at its field until that is changed", async (t) => {
  const page = await choose(t, [strange()]);
  await screen(page);
  assert.ok(summaryOf(page, "w_q").includes("24 rows, 24 columns"));
  await page.click(sender(page));
  await page.until(() => says(page.one("#heads-error"), "Give the number of heads (num_heads): 3"));
  assert.equal(page.document.activeElement, heads(page));
  assert.ok(heads(page).hasAttribute("aria-invalid"));
  await page.fill(heads(page), "3");
  assert.equal(page.one("#heads-error").textContent, "");
  assert.ok(!heads(page).hasAttribute("aria-invalid"));
  const bias = page.in().getByLabelText("Tensor of b_O");
  await page.choose(bias, bias.options[1].value);
  assert.ok(summaryOf(page, "b_o").includes("It has 40 numbers, and w_o has 24 columns."));
});

test("a number that is none is reported with its place in the file", async (t) => {
  const tensors = Object.fromEntries(["q", "k", "v"].map((name) => [`attn.${name}`, identity(4)]));
  tensors["attn.v"].values[4 + 2] = NaN;
  const page = await choose(t, [weightsFile("w.safetensors", tensors)]);
  const shown = await screen(page);
  assert.ok(summaryOf(page, "w_v").includes("4 × 4"));
  await page.fill(heads(page), "2");
  await page.click(sender(page));
  await page.until(() => says(page.in(shown).getByRole("alert"), "“attn.v” is nan at [1, 2]"));
  assert.equal(page.document.activeElement, sender(page));
});

test("files with the names of this program need nothing but the heads", async (t) => {
  const tensors = Object.fromEntries(["q", "k", "v", "o"].map((name) => [`w_${name}`, identity(6)]));
  const page = await choose(t, [weightsFile("w.safetensors", tensors)]);
  const shown = await screen(page);
  assert.deepEqual(page.all(".role"), []);
  assert.equal(page.one("tbody td", shown).textContent, "6 × 6");
  await page.fill(heads(page), "2");
  page.route(/^\/api\/v1\/models$/, () => new Promise(() => undefined)); // the upload never ends
  await page.click(sender(page));
  const form = sent(page)[0].body;
  assert.deepEqual([form.get("num_heads"), form.get("name"), form.has("mapping")], ["2", "w", false]);
});

test("a file that is gone when it is sent is named as such, and nothing is sent", async (t) => {
  const tensors = Object.fromEntries(["w_q", "w_k", "w_v", "w_o"].map((name) => [name, tensor(6, 6)]));
  const page = await choose(t, [weightsFile("w.safetensors", tensors)]);
  await page.fill(await page.until(() => heads(page)), "2");
  t.mock.method(Blob.prototype, "arrayBuffer", () => Promise.reject(new page.window.DOMException("gone")));
  await page.click(sender(page));
  await page.until(() => says(page.one(".mapping-screen [role=alert]"), "cannot be read"));
  assert.equal(sent(page).length, 0);
});

test("the tensors of a whole model may be chosen by hand", async (t) => {
  const names = ["query", "key", "value"].map((name) => `encoder.layer.0.attention.self.${name}.weight`);
  const tensors = Object.fromEntries(names.map((name) => [name, tensor(6, 6)]));
  const config = new File([JSON.stringify({ model_type: "bert", num_attention_heads: 2 })], "config.json");
  const files = [weightsFile("model.safetensors", tensors), config, new File(["{}"], "tokenizer.json")];
  const page = await choose(t, files);
  says(await screen(page), "config.json says model_type bert, which is com");
  await page.click(page.in().getByText("Choose tensors of its attention by hand instead"));
  await page.see('[data-role="w_q"]');
  assert.ok(summaryOf(page, "w_q").includes("6 × 6"));
});

test("of models that read no text nothing is promised", async (t) => {
  const kinds = { vit: "which reads images", whisper: "which reads sound", mamba: "which has no attention" };
  const page = await choose(t, [strange(), new File([JSON.stringify({ model_type: "vit" })], "config.json")]);
  for (const [kind, words] of Object.entries(kinds)) {
    const files = [strange(), new File([JSON.stringify({ model_type: kind })], "config.json")];
    await page.user.upload(page.one("input[data-choose=files]"), files);
    await page.until(() => says(page.one(".mapping-screen"), `config.json says ${kind}, ${words}`));
  }
});

test("a key that could change numbers is accepted on the page, and the files are sent again", async (t) => {
  const config = new File([JSON.stringify({ model_type: "gpt2", attn_temperature: 2 })], "config.json");
  const files = [weightsFile("model.safetensors", { a: identity(2) }), config, new File(["{}"], "tokenizer.json")];
  const page = await choose(t, files);
  const shown = await screen(page);
  const errors = [{ at: "attn_temperature", message: "", accept: ["attn_temperature", "rope_kind"] }];
  const refusal = { status: 422, code: "bad_weights_file", detail: "Start it with --accept KEY.", errors };
  let turn = 0;
  page.route(/^\/api\/v1\/models$/, () => {
    turn += 1;
    return turn === 1 ? new Response(JSON.stringify(refusal), { status: 422 }) : new Promise(() => undefined);
  });
  await page.click(sender(page));
  await page.until(() => says(shown, "keys that are not known here: attn_temperature, rope_kind."));
  assert.ok(!shown.textContent.includes("--accept"), "how to do it on the server is of no use here");
  assert.equal(sender(page).hidden, true);
  assert.equal(page.document.activeElement, page.one(".anyway button", shown));
  says(page.one(".anyway", shown), "The numbers shown would be those without them");
  await page.click(page.in(shown).getByText("Open it anyway, without attn_temperature, rope_kind"));
  await page.until(() => assert.equal(sent(page).length, 2));
  const [first, second] = sent(page).map(({ body }) => body.get("accept"));
  assert.deepEqual([first, second], [null, '["attn_temperature","rope_kind"]']);
  says(page.one(".anyway", shown), "");
  assert.equal(page.one(".anyway button", shown), null);
});

test("the page says at once why files are no checkpoint", async (t) => {
  const named = (count) => Array.from({ length: count }, (_, at) => new File([], `${at}.safetensors`));
  const page = await choose(t, named(1001), "folder");
  const alert = page.one("#own-files > [role=alert]");
  const refused = (words) => page.until(() => says(alert, words));
  await refused("There are more than 1,000 files: choose the folder of one checkpoint.");
  const empty = (...names) => names.map((name) => new File(["{}"], name));
  drop(page, ...empty("pytorch_model.bin", "config.json"));
  await refused("pytorch_model.bin is a PyTorch or pickle file");
  drop(page, ...named(65));
  await refused("There are more than 64 files of weights: choose those of one checkpoint.");
  drop(page, ...empty("README.md", "config.json"));
  await refused("None of these files is .safetensors");
  assert.equal(page.one(".mapping-screen"), null);
  assert.deepEqual(sent(page), []);
});
