/** Two languages and two themes: the same page. */

import assert from "node:assert/strict";
import test from "node:test";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";

const HAN = /[\u4e00-\u9fff]/;
const ENGLISH = /\b(the|of|layer|head|token|key|query)\b/;
const SKIPPED = "script, style, textarea, noscript, option, [lang=en], math, .chips, .labels";
const CHINESE = { headers: { "Accept-Language": "zh-CN" } };

/** Every text of the page that a reader sees, but for the sentence, formulas and names of tokens. */
function texts(page) {
  const walker = page.document.createTreeWalker(page.document.body, page.window.NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const { parentElement, data } = walker.currentNode;
    if (!parentElement.closest(SKIPPED) && parentElement.checkVisibility()) found.push(data.trim());
  }
  return found;
}

full("a Chinese reader gets a Chinese page", async (t) => {
  const page = await openExplore(t, undefined, CHINESE);
  assert.equal(page.document.documentElement.lang, "zh-CN");
  assert.match(page.document.title, HAN);
  page.in().getByRole("textbox", { name: "句子" });
  const english = texts(page).filter((text) => ENGLISH.test(text) && !HAN.test(text));
  assert.deepEqual(
    english.filter((text) => text.split(/\s+/).length > 2),
    [],
  );
  await page.shows(page.question());
});

test("a refusal reaches a Chinese reader in Chinese", async (t) => {
  const page = await openExplore(t, "/?lang=zh&source=seeded");
  await page.until(() => assert.match(page.one("#looks .seen-line").textContent, /随机的.*。第/)); // no space between
  await page.drawer();
  const width = page.all("label").find((each) => each.textContent.includes("d_model"));
  await page.fill(await page.see("input", width), "63");
  await page.until(() => {
    const alert = page.all("[role=alert]").find((each) => each.textContent.includes("63"));
    assert.match(alert?.textContent ?? "", HAN);
  });
});

full("the links to the other language keep the state of the page", async (t) => {
  const page = await openExplore(t);
  const body = await page.ask(async () => page.fill(await page.field("seed"), "6"));
  const { shape } = await page.shows(body);
  await page.pick("weights", [5, 2], [shape.n, shape.n]);
  const value = () => page.see("output", page.inspector);
  const given = (await value()).textContent;
  for (const [name, lang] of [
    ["中文", "zh-CN"],
    ["EN", "en"],
  ]) {
    const { pathname, search } = new URL(page.in().getByRole("link", { name }).href);
    await page.open(pathname + search);
    assert.equal(page.document.documentElement.lang, lang);
    assert.equal((await value()).textContent, given);
    await page.shows(body);
    assert.equal(HAN.test(page.inspector.textContent), lang === "zh-CN");
  }
});

test("the switch of the theme paints pictures anew and is remembered", async (t) => {
  const page = await openExplore(t);
  const theme = () => page.document.documentElement.dataset.theme;
  assert.equal(theme(), "light");
  const button = page.in().getByRole("button", { name: /^Theme/ });
  for (const next of ["light", "dark"]) {
    await page.click(button);
    assert.equal(theme(), next);
    assert.ok(button.getAttribute("aria-label").includes(next));
  }
  await page.shows(page.question(), ["x", "weights"], { theme: "dark" });
  await page.reload();
  assert.equal(theme(), "dark");
  await page.see('[data-stage="weights"] canvas[data-layer]');
  await page.shows(page.question(), ["weights"], { theme: "dark" });
});
