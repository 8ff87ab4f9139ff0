/** Files that do not say their number of heads: the page asks for it, and waits. */

import assert from "node:assert/strict";
import test from "node:test";
import { openExplore } from "./support/explore.js";
import { drop, smallFile, tensor, weightsFile } from "./support/files.js";
import { full } from "./support/full.js";

/** The four matrices of the README; k and v of another width are grouped heads. */
const fourMatrices = (width = 64) =>
  weightsFile("weights.safetensors", {
    w_q: tensor(64, 64),
    w_k: tensor(64, width),
    w_v: tensor(64, width),
    w_o: tensor(64, 64),
  });

/** What the page says of the files that wait. */
const asks = (page) => page.one("#options .refusal");

/** Waits until the page asks for the heads of the files in their empty field, and nowhere else. */
async function asked(page, ...words) {
  await page.until(() => words.forEach((each) => assert.ok(asks(page).textContent.includes(each), each)));
  const heads = await page.field("heads");
  await page.until(() => assert.equal(page.document.activeElement, heads));
  assert.equal(heads.value, "");
  assert.equal(saidOfHeads(page), 1);
  return heads;
}

/** How many places in sight speak of the missing number of heads. */
const saidOfHeads = (page) =>
  page
    .all("#options .refusal, #options .found, #notice")
    .filter((part) => part.checkVisibility() && /heads/.test(part.textContent) && !/layers/.test(part.textContent))
    .length;

const used = (page) => page.until(() => assert.equal(asks(page)?.textContent ?? "", ""));

test("a dropped file that does not say its heads asks for them", async (t) => {
  const page = await openExplore(t);
  for (const [width, fitting, kvHeads] of [
    [64, "1, 2, 4, 8", 4],
    [16, "4, 8", 1],
  ]) {
    drop(page, fourMatrices(width));
    const heads = await asked(page, "64 columns", `(num_heads): ${fitting}`, "weights.safetensors");
    assert.equal(page.one("#options > .summary-line").getAttribute("aria-expanded"), "true"); // the page opens it
    assert.ok(!asks(page).textContent.includes("d_k"));
    const { shape } = await page.shows(await page.ask(() => page.fill(heads, "4")));
    assert.deepEqual([shape.num_heads, shape.num_kv_heads], [4, kvHeads]);
    await used(page);
  }
});

test("meanwhile random weights stay random, and no size of theirs is that of the files", async (t) => {
  const page = await openExplore(t, "/?source=seeded&text=the%20cat%20sat");
  const line = await page.see(".seen-line");
  await page.until(() => assert.match(line.textContent, /^These weights are random/));
  drop(page, fourMatrices());
  await asked(page, "64 columns");
  assert.match(line.textContent, /^These weights are random/);
  assert.match(page.one(".summary-line").textContent, /^uploaded weights · [^×]*$/);
});

test("meanwhile nothing is said of a token that is expected after another", async (t) => {
  const page = await openExplore(t, "/");
  const line = await page.see(".seen-line");
  await page.until(() => assert.match(line.textContent, /^Layer 1, head 0: Jacob.* The model expects Darcy/));
  drop(page, fourMatrices());
  await asked(page, "pictures are still of the model before");
  await page.arrived();
  assert.ok(line.textContent.includes("Jacob₁₀") || !line.textContent.includes("expects"), line.textContent);
});

full("files wait for their heads whatever is changed meanwhile", async (t) => {
  const page = await openExplore(t);
  drop(page, fourMatrices());
  await asked(page, "pictures are still of the model before");
  await page.fill(page.sentence, "another sentence");
  await page.addressHas("another");
  assert.ok(asks(page).textContent.includes("weights.safetensors"));
  const models = await page.field("Model");
  await page.shows(await page.ask(() => page.choose(models, "crafted")));
  assert.equal(saidOfHeads(page), 0);
  await page.choose(models, "uploaded");
  const heads = await asked(page, "weights.safetensors");
  const body = await page.ask(() => page.fill(heads, "4"));
  assert.equal(body.text, "another sentence");
  await used(page);
});

full("a second file asks for its own heads until they fit, or until it is closed", async (t) => {
  const page = await openExplore(t);
  const body = await page.ask(() => drop(page, smallFile({ num_heads: "2" })));
  await page.shows(body);
  drop(page, fourMatrices());
  await asked(page, "pictures are still of small.safetensors");
  await page.click(page.button("Close", asks(page)));
  await used(page);
  await page.until(async () => assert.equal((await page.field("heads")).value, "2"));
  assert.equal(page.question(), body);
  drop(page, fourMatrices());
  const heads = await asked(page, "pictures are still of small.safetensors");
  assert.ok(page.one("#options .found").textContent.includes("small.safetensors"));
  await page.fill(heads, "3");
  await page.until(() => assert.ok(asks(page).textContent.includes("3 heads do not fit")));
  assert.ok(asks(page).textContent.includes("can be 1, 2, 4, 8"));
  assert.equal(heads.value, "3");
  const next = await page.ask(() => page.fill(heads, "8"));
  assert.equal((await page.shows(next)).shape.num_heads, 8);
});
