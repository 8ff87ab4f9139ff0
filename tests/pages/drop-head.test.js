/** Heads that are dropped from the output and put back. */

import assert from "node:assert/strict";
import test from "node:test";
import { numbers, says, showChange, undo } from "./support/changes.js";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";

const thumbnail = (page, layer, head) => page.one(`.thumbnail[data-layer="${layer}"][data-head="${head}"]`);

/** Waits for a button in the selector of heads, or in the panel of changes. */
const drops = (page, name, root = "#heads") => page.until(() => page.button(name, page.one(root)));

/** Puts every head back, in the menu of what is seldom changed. */
async function putAllBack(page) {
  await page.more();
  return page.click(page.button("put them back", page.one("#options")));
}

full("a dropped head adds nothing, the others stay, and undo puts it back", async (t) => {
  const page = await openExplore(t);
  const before = page.question();
  await page.click(thumbnail(page, 0, 2));
  const drop = await drops(page, "Drop head L0 H2");
  const body = await page.ask(() => page.click(drop));
  assert.deepEqual(body, { ...before, drop: [[0, 2]] }); // the model stays what it is
  await page.addressHas("drop=0.2");
  for (const stage of ["x", "weights", "head_outputs"])
    assert.deepEqual(await numbers(page, body, stage), await numbers(page, before, stage), stage);
  const [concat, was] = [await numbers(page, body, "concat"), await numbers(page, before, "concat")];
  const without = was[0].map((row) => row.fill(0, 32, 48));
  assert.ok((await numbers(page, before, "concat"))[0].some((row) => row.slice(32, 48).some(Boolean)));
  assert.deepEqual(concat[0], without);
  await page.shows(body, ["weights", "concat", "output"], { head: 2 });
  const status = page.in(page.card("x").parentElement).getByRole("status");
  assert.equal(status.textContent, "Head L0 H2 is dropped: its columns of concat are 0.");
  await undo(page);
  await drops(page, "Drop head L0 H2");
  await page.addressLacks("drop=");
  await page.shows(before, ["weights", "output"], { head: 2 });
});

test("of several layers a head is dropped and put back in its own", async (t) => {
  const page = await openExplore(t, "/?text=a%20b&num_layers=2&layer=1&block=pre_norm");
  const before = page.question();
  thumbnail(page, 1, 1).focus();
  const body = await page.ask(() => page.user.keyboard("{Delete}"));
  assert.deepEqual(body, { ...before, drop: [[1, 1]] });
  await page.until(() => assert.ok(thumbnail(page, 1, 1).classList.contains("gone")));
  await page.click(page.button("Change", page.one("#change")));
  await page.click(await drops(page, "heads", "#editor"));
  const another = await drops(page, "Drop head L1 H3", "#editor");
  const both = await page.ask(() => page.click(another));
  assert.deepEqual(both, { ...before, drop: [[1, 1], [1, 3]] }); // prettier-ignore
  const back = await drops(page, "Put head L1 H1 back", "#editor");
  await page.ask(() => page.click(back));
  await page.addressHas("drop=1.3");
  await putAllBack(page);
  await page.addressLacks("drop=");
  await page.until(() => assert.equal(page.one(".thumbnail.gone"), null));
});

full("a dropped head that is not there any more is reported, and can be put back", async (t) => {
  const page = await openExplore(t, "/?text=a%20b&drop=0.3");
  const notice = page.one("#notice");
  await page.fill(await page.field("heads"), "2");
  await page.until(() => assert.match(notice.textContent, /drop names the head \[0, 3\]/));
  await page.ask(() => putAllBack(page));
  await page.addressLacks("drop=");
  await page.until(() => assert.equal(notice.textContent, ""));
});

test("a link with a dropped head shows what that changed", async (t) => {
  const text = "My friend Jacob Darcy met Thomas Bennet. My friend Jacob";
  const model = "source=installed&name=echo&layer=1&head=1";
  const page = await openExplore(t, `/?${model}&drop=1.1&text=${encodeURIComponent(text)}`);
  const line = await page.see(".seen-line");
  await page.until(() =>
    assert.match(
      line.textContent,
      /The model expects [^,]+, [\d.]+\s%\. With every head it expects [^,]+, [\d.]+\s%\./,
    ),
  );
  await page.click(await page.until(() => page.button("Show change", page.one("#change"))));
  await page.until(() => assert.match(page.one("#since").textContent, /Every cell is now minus the question/));
  const since = new URLSearchParams(page.window.location.search).get("since");
  await page.until(() => assert.ok(page.asked.some(({ path }) => path.includes(`/traces/${since}/predictions`))));
});

test("a link's change that the server does not answer says so, and comes when it is asked for again", async (t) => {
  const page = await openExplore(t, "/?text=the%20cat%20sat&source=seeded&drop=0.2");
  page.route(/traces$/, () => {
    throw new TypeError("connection refused");
  });
  await showChange(page);
  await says(page, "#notice", "The server does not answer");
  page.unroute();
  await showChange(page);
  await page.addressHas("since=");
  await page.until(() => assert.equal(page.one("#notice").textContent.trim(), ""));
});
