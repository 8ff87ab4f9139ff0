/** Files that are refused: the page says why, and loses nothing. */

import assert from "node:assert/strict";
import test from "node:test";
import { pictureOf } from "./support/cells.js";
import { openExplore } from "./support/explore.js";
import { drop, smallFile } from "./support/files.js";
import { full } from "./support/full.js";

const MODELS = /^\/api\/v1\/models$/;
const whole = () => smallFile({ num_heads: "1" });
const broken = () => new File([whole().slice(0, -40)], "broken.safetensors");
const pickle = () => new File(["\x80\x04\x95pickled"], "mine.pt");
const noOutput = () => new File(['{"w_q": [[1]], "w_k": [[1]], "w_v": [[1]], "b_o": [1]}'], "bias.json");

/** Waits until the page says all the words in one place. */
const refused = (page, ...words) =>
  page.until(() => {
    const places = page.all("#notice, .refusal");
    const said = places.find(({ textContent }) => words.every((each) => textContent.includes(each)));
    assert.ok(said, `${words}: ${places.map(({ textContent }) => textContent)}`);
    return said;
  });

/** Drops a file, and waits until the page says why the server refuses it. */
async function refuse(page, file) {
  const details = [];
  page.route(MODELS, async ({ url, body }) => {
    const reply = await fetch(url, { method: "POST", body });
    details.push((await reply.clone().json()).detail);
    return reply;
  });
  drop(page, file);
  await page.until(() => assert.equal(details.length, 1));
  page.unroute();
  return refused(page, ...details);
}

test("a broken file loses neither the file before it nor its pictures", async (t) => {
  const page = await openExplore(t);
  const body = await page.ask(() => drop(page, whole()));
  await page.shows(body);
  const before = pictureOf(page.canvas("weights"));
  await refuse(page, broken());
  assert.deepEqual(pictureOf(page.canvas("weights")), before);
  assert.ok(page.one("#options .found").textContent.includes("small.safetensors"));
  const next = await page.ask(() => page.fill(page.sentence, "it still answers"));
  assert.deepEqual(next.model, body.model);
  await page.shows(next);
});

full("a broken file that is dropped loses no seeded model", async (t) => {
  const page = await openExplore(t);
  const seed = await page.field("seed");
  const body = await page.ask(() => page.fill(seed, "8"));
  await page.shows(body);
  const before = pictureOf(page.canvas("weights"));
  await refuse(page, broken());
  assert.deepEqual(pictureOf(page.canvas("weights")), before);
  assert.equal((await page.field("Model")).value, "seeded");
  assert.equal((await page.field("seed")).value, "8");
  assert.equal(page.question(), body);
});

for (const source of ["seeded", "uploaded"])
  full(`with the model ${source}, a refusal names its file, and the focus goes back once it is closed`, async (t) => {
    const page = await openExplore(t);
    await page.choose(await page.field("Model"), source);
    drop(page, noOutput());
    await refused(page, "bias.json", "but no w_o");
    page.sentence.focus();
    drop(page, pickle());
    const said = await refused(page, "mine.pt", "pickle", "safetensors.torch.save_file");
    await page.click(page.button("Close", said));
    await page.until(() => assert.ok(!page.one("body").textContent.includes("pickle")));
    assert.equal(page.document.activeElement, page.sentence);
  });

full("an upload that does not arrive says so, and the next one is used", async (t) => {
  const page = await openExplore(t);
  page.route(MODELS, () => {
    throw new TypeError("Failed to fetch");
  });
  drop(page, whole());
  await refused(page, "attnscope is running");
  page.unroute();
  await page.shows(await page.ask(() => drop(page, whole())));
});

test("where a refusal names the page of models, a link leads there", async (t) => {
  const page = await openExplore(t, "/?lang=en");
  const words = await refuse(page, new File(['{"alpha": [[1]], "beta": [[1]]}'], "other.json"));
  const [link] = page.all(".error a", words);
  assert.deepEqual([link?.textContent, link?.getAttribute("href")], ["/models", "/models?lang=en"]);
});
