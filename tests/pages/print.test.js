/** The page on paper: what it adds, what it unfolds, and that it is afterwards as before. */

import assert from "node:assert/strict";
import test from "node:test";
import { pictureOf } from "./support/cells.js";
import { Chapter } from "./support/chapter.js";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";
import { kept } from "./support/page.js";

const DARK = "(prefers-color-scheme: dark)";

/** @param {import("./support/explore.js").Explore} page @param {"beforeprint" | "afterprint"} moment */
const tell = (page, moment) => page.window.dispatchEvent(new page.window.Event(moment));

full("the paper names layer, head and model, and where it is from", async (t) => {
  const page = await openExplore(t, "/?num_layers=2&layer=1&head=3&seed=7");
  tell(page, "beforeprint");
  const imprint = page.one(".imprint");
  for (const words of ["layer 1, head 3", "seeded", "seed 7", "layers 2", "heads 4", "d_model 64"])
    assert.ok(imprint.textContent.includes(words), words);
  const link = page.in(imprint).getByRole("link");
  assert.equal(link.textContent, `${page.window.location.origin}/?seed=7&num_layers=2&layer=1&head=3`);
  tell(page, "afterprint");
  assert.equal(page.one(".imprint"), null);
});

full("pictures are light on paper, and dark again afterwards", async (t) => {
  const page = await openExplore(t, "/?source=seeded", { media: [DARK] });
  const root = page.document.documentElement;
  assert.equal(root.dataset.theme, "dark");
  const body = page.question();
  await page.shows(body, ["scores", "weights"], { theme: "dark" });
  const dark = pictureOf(page.canvas("weights"));
  tell(page, "beforeprint");
  assert.equal(root.dataset.theme, "light");
  await page.shows(body, ["scores", "weights"], { theme: "light" });
  tell(page, "afterprint");
  assert.equal(root.dataset.theme, "dark");
  await page.until(() => assert.deepEqual(pictureOf(page.canvas("weights")), dark));
});

test("a chapter is light on paper, with each figure in one piece, and as before afterwards", async (t) => {
  const page = kept(t, new Chapter({ media: [DARK] }));
  await page.open("scores");
  const figures = page.all("[data-figure]");
  for (const figure of figures) {
    Object.defineProperty(figure, "offsetWidth", { value: 770 });
    Object.defineProperty(figure, "offsetHeight", { value: 800 });
  }
  tell(page, "beforeprint");
  assert.equal(page.document.documentElement.dataset.theme, "light");
  for (const { style } of figures)
    assert.deepEqual([style.width, style.getPropertyValue("--on-paper")], ["770px", "0.8"]);
  assert.ok(figures.every((figure) => figure.dataset.undrawn.includes("print again")));
  tell(page, "afterprint");
  assert.equal(page.document.documentElement.dataset.theme, "dark");
  assert.ok(figures.every((figure) => !figure.hasAttribute("style")));
});

test("what is folded in the inspector stands open on paper", async (t) => {
  const page = await openExplore(t, "/?cell=weights.7.1");
  await page.see("#inspector details");
  const folds = () => page.all("details:not(.why)", page.inspector); // that one asks the server when it is opened
  const open = () => folds().map((fold) => fold.open);
  assert.ok(open().length > 0 && !open()[0]);
  tell(page, "beforeprint");
  assert.ok(open().every(Boolean));
  assert.equal(page.all("details .terms > li:not(.head)", page.inspector).length, 16);
  tell(page, "afterprint");
  assert.equal(open()[0], false);
});

full("a long sum is printed whole, and is then as before", async (t) => {
  const page = await openExplore(t, "/?cell=q.7.1");
  const rest = await page.in(page.inspector).findByRole("button", { name: "show all 64" });
  const count = () => page.all(".terms > li:not(.head)", page.inspector).length;
  for (let times = 0; times < 2; times++) {
    assert.equal(count(), 16);
    tell(page, "beforeprint");
    assert.equal(count(), 64);
    assert.equal(rest.isConnected, false);
    tell(page, "afterprint");
  }
  await page.click(rest);
  assert.equal(count(), 64);
});
