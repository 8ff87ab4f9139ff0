/** What keys do on pictures, and what is said of it. */

import assert from "node:assert/strict";
import test from "node:test";
import { stageCells, written } from "./support/cells.js";
import { fieldOf, typed } from "./support/changes.js";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";

const STAGES = ["x", "q", "k", "v", "scores", "scaled_scores", "masked_scores", "weights"];
const spoken = (page) =>
  page
    .all("[aria-live=polite]")
    .map((each) => each.textContent)
    .join("");
const heading = (page) => page.one("h2", page.inspector)?.textContent ?? "";

test("every stage is a grid with a name and its number of rows, and says its cells", async (t) => {
  const page = await openExplore(t);
  for (const stage of [...STAGES, "head_outputs", "concat", "output"]) {
    assert.match(page.grid(stage).getAttribute("aria-label"), new RegExp(`^${stage.replace("_", " ")}: \\d+ rows`));
    assert.equal(page.grid(stage).getAttribute("aria-rowcount"), "12");
  }
  page.grid("weights").focus();
  await page.user.keyboard("{End}");
  await page.until(() => assert.ok(spoken(page).includes("masked")));
});

test("operands are followed with the keys", async (t) => {
  const page = await openExplore(t, "/?text=a%20b%20c&d_model=8&num_heads=2");
  page.grid("scores").focus();
  await page.user.keyboard("{Enter}");
  const [first] = await page.in(page.inspector).findAllByRole("button", { name: /^q .*:/ });
  first.focus();
  await page.user.keyboard("{Enter}");
  await page.until(() => assert.match(heading(page), /^q/));
});

full("a number begins on the picked cell of a picture", async (t) => {
  const page = await openExplore(t, null);
  for (const [key, rest, value] of [
    ["2", ".5", 2.5],
    ["-", "0.5", -0.5],
    [".", "5", 0.5],
  ]) // prettier-ignore
  {
    await page.open("/?text=a%20b%20c&change=w_o");
    const panel = page.one("#editor");
    const picture = await page.in(panel).findByRole("grid");
    assert.equal(panel.getAttribute("aria-label"), "Change anything");
    picture.focus();
    await page.user.keyboard("{ArrowDown}{ArrowRight}{Enter}");
    await typed(page);
    await page.user.keyboard("{ArrowRight}"); // the keys have left the picked cell
    await page.user.keyboard(key);
    assert.equal(page.document.activeElement, picture);
    await page.user.keyboard("{ArrowLeft}");
    await page.user.keyboard(key);
    await page.until(() => assert.equal(page.document.activeElement, fieldOf(page)));
    await page.user.keyboard(rest);
    await page.until(() => assert.equal(page.question().model.w_o?.[1][1], value));
    assert.equal(fieldOf(page).value, `${key}${rest}`);
  }
});

test("the tabs are three groups, and the keys lead through all of them", async (t) => {
  const page = await openExplore(t, "/?text=a%20b%20c&d_model=8&num_heads=2");
  const list = page.one("#tabs");
  const groups = [...list.children].map((group) =>
    page
      .in(group)
      .getAllByRole("tab")
      .map((tab) => tab.textContent),
  );
  assert.deepEqual(groups, [
    ["Stages", "Heads", "Lines", "Map", "Decode"],
    ["Worth", "Gradients", "Parameters"],
    ["Laboratory"],
  ]);
  assert.deepEqual(
    [...list.children].map(({ textContent }) => textContent.replace(/Stages.*|Worth.*/, "")),
    ["Look", "Why", "Laboratory"],
  );
  const open = () => page.in(list).getByRole("tab", { selected: true }).textContent;
  page.in(list).getByRole("tab", { name: "Stages" }).focus();
  await page.user.keyboard("{ArrowLeft}");
  assert.deepEqual([open(), page.document.activeElement.textContent], ["Laboratory", "Laboratory"]);
  await page.user.keyboard("{Home}{ArrowRight}");
  assert.equal(open(), "Heads");
});

full("a question mark lists the keys, but not while a sentence is typed", async (t) => {
  const page = await openExplore(t);
  const dialog = () => page.in().queryByRole("dialog", { name: "Keys" });
  await page.user.keyboard("?");
  await page.until(() => assert.ok(dialog()));
  for (const key of ["Enter", "Esc", "Home"]) assert.ok(dialog().textContent.includes(key));
  await page.click(page.button("Close", dialog()));
  await page.user.type(page.sentence, "?");
  assert.equal(dialog(), null);
  assert.match(page.sentence.value, /\?$/);
});

full("every stage has a table with its numbers, opened and closed with keys", async (t) => {
  const page = await openExplore(t);
  const cells = stageCells(await page.answer(), "masked_scores", { layer: 0, head: 0, batch: 0 });
  page.button("Enlarge masked scores").focus();
  await page.user.keyboard("{Enter}");
  await page.click(await page.in().findByRole("checkbox", { name: "show as table" }));
  const table = await page.see("#large table");
  assert.equal(page.all("tr", table).length, 13);
  assert.equal(page.all("thead th", table)[1].textContent, "animal");
  const row = page.all("td", page.all("tr", table)[4]).map((each) => each.textContent);
  const wanted = [...cells[3].slice(0, 4).map((value) => written(value)), ...Array(8).fill("−∞")];
  assert.deepEqual(row.filter(Boolean), wanted);
  await page.user.keyboard("{Escape}");
  await page.until(() => assert.ok(!page.one("#large").open));
});
