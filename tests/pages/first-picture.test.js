/** Between the first picture and the scripts that come after it: what is done is kept, and what is opened can be left. */

import assert from "node:assert/strict";
import test from "node:test";
import { later } from "./support/clock.js";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";

const LATE = /\/pages\/late-parts\.js$/;
const ALL_HEADS = /\/core\/all-heads\.js$/;

/** A page at an address, where a script waits until it is let go. @param {any} t @param {string} address @param {RegExp} [script] */
async function held(t, address, script = LATE) {
  const page = await openExplore(t, null);
  const { reply, send } = later();
  let asked = false;
  page.route(script, () => ((asked = true), reply));
  await page.goto(address);
  await page.until(() => assert.ok(asked, `${script} is not requested`));
  return { page, letGo: () => (send(), page.whole()) };
}

/** As `held`, with the first picture drawn. */
async function heldAfterPicture(t, address) {
  const { page, letGo } = await held(t, address);
  await page.see('[data-stage="weights"] canvas[data-layer][data-head]');
  return { page, letGo };
}

const hidden = (page, ...places) => places.forEach((place) => assert.ok(!page.one(place).checkVisibility(), place));

full("a cell of the address is framed with the first picture and explained afterwards", async (t) => {
  const { page, letGo } = await heldAfterPicture(t, "/?cell=weights.2.1");
  await page.see(".pinned", page.card("weights"));
  assert.equal(page.inspector.textContent.includes("exp("), false);
  await letGo();
  await page.see(".lit.cell", page.card("weights"));
  await page.until(() => assert.match(page.inspector.textContent, /exp\(/));
});

test("what is done before the later scripts is followed by them", async (t) => {
  const { page, letGo } = await heldAfterPicture(t, "/?text=a%20b");
  await page.ask(() => page.fill(page.sentence, "c d e"));
  await page.more();
  assert.ok((await page.field("tokenizer")).checkVisibility());
  await page.user.keyboard("{Escape}");
  await page.click(page.one("#examples summary"));
  assert.equal(page.one("#examples .panel").textContent.trim(), "The examples are on their way.");
  await letGo();
  await page.see("#examples li");
  const chip = await page.in(page.one("#tokens")).findByRole("option", { name: /^c\s?0$/ });
  assert.equal(chip.getAttribute("aria-selected"), "false");
  await page.pick("weights", [1, 0], [3, 3]);
  await page.until(() => assert.match(page.inspector.textContent, /d → c/));
});

full("the first picture has the theme that is chosen before it", async (t) => {
  const { page, letGo } = await held(t, "/?tab=heads", ALL_HEADS);
  for (const _ of ["light", "dark"]) await page.click(page.one("[data-theme-switch]"));
  await page.until(() => assert.equal(page.document.documentElement.dataset.theme, "dark"));
  await letGo();
  await page.click(page.in(page.one("#tabs")).getByRole("tab", { name: "Stages" }));
  await page.shows(page.question(), ["weights"], { theme: "dark" });
});

full("what is changed before the later scripts is undone", async (t) => {
  const { page, letGo } = await heldAfterPicture(t, "/?text=a%20b");
  const [heads, mask] = [await page.field("heads"), await page.field("Mask")];
  await page.ask(() => page.fill(heads, "2"));
  await page.ask(() => page.user.selectOptions(mask, "none"));
  await letGo();
  const undo = page.button(/^Undo/, page.one("#change"));
  for (const address of ["/?text=a%20b&num_heads=2", "/?text=a%20b"]) {
    await page.click(undo);
    await page.until(() => assert.equal(page.address, address));
  }
  await page.until(() => assert.equal(undo.disabled, true));
});

for (const opened of ["present=1&step=project.0", "stage=scores&table=true"])
  test(`Escape takes back what the address opens and has not come: ${opened}`, async (t) => {
    const { page, letGo } = await heldAfterPicture(t, `/?text=a%20b&${opened}`);
    await page.user.keyboard("{Escape}");
    await page.until(() => assert.equal(page.address, "/?text=a%20b"));
    await letGo();
    hidden(page, "#stepper", "#present", "#large");
  });
