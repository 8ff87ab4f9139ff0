/** What an address cannot mean is named and left out; the page opens all the same. */

import assert from "node:assert/strict";
import test from "node:test";
import { openExplore } from "./support/explore.js";
import { full, rowsOf } from "./support/full.js";

const notice = (page) => page.one("#notice").textContent;

full("an address that means nothing still opens a page that answers", async (t) => {
  const page = await openExplore(t, null);
  for (const address of [
    "/?seed=abc&head=x&cell=nonsense&causal=maybe&stage=nothing&range=nothing&precision=500",
    "/?head=99&layer=7&batch=5&cell=weights.500.500",
    "/?head=-1&layer=0.5&batch=-2&cell=nothing.0.0&source=nothing",
    "/#%7Bbroken",
    "/?source=explicit#%7B%22w_q%22%3A5%7D",
    "/#%22hi%22",
  ]) {
    await page.open(address);
    const body = await page.ask(() => page.fill(page.sentence, "the page still answers"));
    if (body.model.source === "seeded")
      await page.shows(body, ["weights"], { head: Number(page.canvas("weights").dataset.head) });
    else await page.until(() => assert.equal(page.document.body.dataset.status, "ready"));
  }
});

test("what an address asks too much is refused in words", async (t) => {
  const page = await openExplore(t, null);
  await page.goto("/?num_heads=5");
  await page.until(() => assert.ok(notice(page).includes("5 heads do not divide d_model 64")));
  await page.drawer();
  const heads = await page.in().findByRole("spinbutton", { name: "heads" });
  await page.until(() => assert.equal(heads.getAttribute("aria-invalid"), "true"));
  await page.shows(await page.ask(() => page.fill(heads, "4")));
});

for (const [address, kept, given] of rowsOf([
  ["/?seed=3&temperature=abc&blocked=7,5&layer=x", "/?seed=3", "blocked=7,5, layer=x"],
  ['/?source=explicit#{"w_q":5}', "/?source=explicit", "w_q=5"],
  ['/#{"x":[["one"]]}', "/?source=seeded", 'x=[["one"]]'],
]))
  test(`what means nothing in ${address} is named and left out`, async (t) => {
    const page = await openExplore(t, address);
    await page.until(() => assert.ok(notice(page).includes(given)));
    assert.equal(page.address, kept);
    await page.ask(() => page.fill(page.sentence, "something new"));
    await page.until(() => assert.equal(notice(page), ""));
  });

full("what other sites append to a link is ignored and leaves the address", async (t) => {
  const page = await openExplore(t, "/?fbclid=1&utm_source=a%20list");
  await page.until(() => assert.equal(page.document.body.dataset.status, "ready"));
  assert.deepEqual([page.address, notice(page)], ["/", ""]);
  const { name } = (await page.ask(() => page.fill(page.sentence, "Emma met Emma"))).model;
  assert.equal(name, "echo"); // as from an address that says nothing
  await page.goto("/?seed=3&gclid=a&head=1");
  await page.until(() => assert.equal(page.document.body.dataset.status, "ready"));
  assert.deepEqual([page.address, notice(page)], ["/?seed=3&head=1", ""]);
});
