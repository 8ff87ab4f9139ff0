/** The page in a frame of another page: one stage, or all of them. */

import assert from "node:assert/strict";
import test from "node:test";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";

async function openFrame(t, query) {
  const page = await openExplore(t, null);
  await page.goto(`/embed?${query}`);
  return page;
}

test("a frame of one stage leads to the whole page, but has no way back to all stages", async (t) => {
  const page = await openFrame(t, "text=a%20b%20c&stage=weights&head=1");
  const large = await page.see("#large[open]");
  await page.see("canvas[data-layer]", large);
  const link = page.in().getByText(/^Open in attnscope/);
  assert.equal(link.getAttribute("href"), "/?text=a%20b%20c&stage=weights&head=1");
  assert.equal(page.in(large).queryByRole("button", { name: "Close" }), null);
  await page.user.keyboard("{Escape}");
  page.in(large).getByRole("grid").focus();
  await page.user.keyboard("{Escape}");
  await page.click(page.in(large).getByLabelText("show as table"));
  await page.addressHas("stage=weights&table=true");
  assert.ok(large.checkVisibility());
});

full("a stage that was enlarged in a frame of all stages is closed again", async (t) => {
  const page = await openFrame(t, "text=a%20b%20c");
  const card = await page.see('[data-stage="weights"]');
  const acts = [(large) => page.click(page.button("Close", large)), () => page.user.keyboard("{Escape}")];
  for (const act of acts) {
    await page.click(await page.in(card).findByRole("button", { name: /^Enlarge/ }));
    const large = await page.see("#large[open]");
    await page.see("canvas[data-layer]", large);
    await act(large);
    await page.until(() => assert.equal(large.checkVisibility(), false));
  }
});
