/** A page that is opened on a refusal says why, and leads on. */

import assert from "node:assert/strict";
import test from "node:test";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";

const GONE = "0".repeat(32);
const DEFAULT = "Use the default value";
const notice = (page) => page.one("#notice").textContent;

/** A page at an address that has no answer, once it says so. */
async function openRefused(t, address) {
  const page = await openExplore(t, null);
  await page.goto(address);
  await page.see("body[data-bare]");
  await page.see("#notice strong");
  return page;
}

const way = (page, name) => page.in(page.one("#notice")).findByRole("button", { name });
const answered = (page) => page.see('[data-stage="weights"] canvas[data-layer]');
const invalid = (field) => field.getAttribute("aria-invalid");

test("a number that is refused gives way to the default", async (t) => {
  const page = await openRefused(t, "/?d_model=0");
  assert.ok(notice(page).includes("it must be at least 1"));
  const tabs = page.in().getAllByRole("tab");
  assert.ok(tabs.every((tab) => tab.disabled));
  assert.ok(page.button("Step by step").disabled);
  const body = await page.ask(async () => page.click(await way(page, DEFAULT)));
  assert.equal(body.model.d_model, 64);
  await answered(page);
  assert.equal(notice(page), "");
  assert.ok(tabs.every((tab) => !tab.disabled));
});

test("a text that is too long for the model has no note about numbers", async (t) => {
  const page = await openRefused(t, `/?source=installed&name=echo&text=${"cat%20".repeat(200)}`);
  assert.match(notice(page), /Too many tokens/);
  const noted = await page.until(() => page.one("#predictions .noted") ?? assert.fail());
  assert.ok(noted.hidden);
});

full("a setting that is refused is marked, shown where it is folded away, and changed", async (t) => {
  const page = await openRefused(t, "/?d_model=0");
  await page.see('#options > .summary-line[aria-expanded="true"]');
  const field = await page.field("d_model");
  assert.equal(invalid(field), "true");
  await page.ask(() => page.fill(field, "8"));
  await answered(page);
  await page.goto("/?num_layers=0");
  await page.click(await way(page, "Show the setting"));
  const layers = await page.field("layers");
  await page.until(() => assert.equal(page.document.activeElement, layers));
});

test("of two settings that do not fit the one that was changed is marked, and the words stay", async (t) => {
  const page = await openRefused(t, "/?d_model=7&text=a%20b");
  await page.drawer();
  const field = (name) => page.in().findByRole("spinbutton", { name });
  await page.until(async () => assert.equal(invalid(await field("d_model")), "true"));
  assert.notEqual(invalid(await field("heads")), "true");
  const body = await page.ask(async () => page.click(await way(page, DEFAULT)));
  assert.deepEqual([body.model.d_model, body.text], [64, "a b"]);
  await answered(page);
});

test("a refusal calls a field by its label, in the language of the page", async (t) => {
  const page = await openRefused(t, "/?num_heads=999");
  assert.ok(notice(page).includes("“heads” is 999: it must be at most"));
  await page.goto("/?num_heads=999&lang=zh");
  await page.until(() => assert.ok(notice(page).includes("“头数”")));
});

test("a model that is gone gives way to seeded weights, and so does a model without a file", async (t) => {
  const page = await openRefused(t, `/?source=uploaded&id=${GONE}&text=a%20b`);
  await way(page, "Choose a file…");
  const body = await page.ask(async () => page.click(await way(page, "Use seeded weights")));
  assert.deepEqual([body.model.source, body.text], ["seeded", "a b"]);
  await answered(page);
  await page.goto("/?source=uploaded");
  await page.ask(async () => page.click(await way(page, "Use seeded weights")));
  await answered(page);
});

full("a model that is not on the server gives way to one that is", async (t) => {
  const page = await openExplore(t, null);
  for (const query of ["name=nope", "name=echo&revision=step-7"]) {
    await page.goto(`/?text=a%20b&source=installed&${query}`);
    const body = await page.ask(async () => page.click(await way(page, DEFAULT)));
    assert.deepEqual(body.model, { source: "installed", name: "echo" });
    assert.equal(page.sentence.value, "a b");
  }
});

full("a short link that leads nowhere says so until it is closed", async (t) => {
  const page = await openExplore(t, `/?t=${GONE}`);
  const given = (await page.in().findByText("This link leads nowhere.")).closest("[role=alert]");
  await page.click(page.in(given).getByRole("button"));
  await page.until(() => assert.ok(!given.checkVisibility()));
});

full("an emptied sentence hides the pictures until another is typed", async (t) => {
  const page = await openExplore(t);
  const heads = page.in().getByRole("tab", { name: "Heads" });
  await page.fill(page.sentence, "");
  await page.see("body[data-bare]");
  assert.ok(heads.disabled);
  await page.ask(() => page.fill(page.sentence, "it is tired"));
  await page.see("body:not([data-bare])");
  assert.ok(!heads.disabled);
});

test("examples are offered where nothing was answered", async (t) => {
  const page = await openRefused(t, "/?temperature=0");
  await page.click(page.one("#examples summary"));
  const entry = await page.in().findByRole("button", { name: /^Family outing, one head/ });
  await page.ask(() => page.click(entry));
  await answered(page);
  assert.equal(page.one("body[data-bare]"), null);
});
