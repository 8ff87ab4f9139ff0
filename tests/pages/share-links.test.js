/** Links to a question, and the command that asks it again. */

import assert from "node:assert/strict";
import test from "node:test";
import { full } from "./support/full.js";
import { openTyped, type } from "./support/changes.js";
import { SEEDED, openExplore } from "./support/explore.js";
import { commandOf, openShare } from "./support/share.js";

const BODY = { text: "a cat sat" };
const ADDRESS = "/?text=a%20cat%20sat&head=1";
const path = (link) => link.replace(/^https?:\/\/[^/]+/, "");

test("both links lead to the same view", async (t) => {
  const page = await openExplore(t, ADDRESS);
  const dialog = page.in(await openShare(page));
  const link = dialog.getByLabelText("full").value;
  assert.equal(link, page.window.location.origin + ADDRESS);
  const short = dialog.getByLabelText("short");
  const { trace } = await page.answer(BODY);
  await page.until(() => assert.ok(path(short.value).startsWith(`/?t=${trace}`)));
  await page.click(dialog.getByRole("button", { name: "Copy: short" }));
  await page.until(() => assert.equal(dialog.getByRole("status").textContent, "Copied."));
  const copied = await page.window.navigator.clipboard.readText();
  const other = await openExplore(t, path(copied));
  assert.equal(other.sentence.value, "a cat sat");
  assert.equal(other.canvas("weights").dataset.head, "1");
  await other.until(() => assert.equal(other.address, ADDRESS));
});

full("a link to what the page opens on names all of it", async (t) => {
  const page = await openExplore(t, "/");
  const was = page.question();
  const dialog = page.in(await openShare(page));
  const other = await openExplore(t, `${path(dialog.getByLabelText("full").value)}&lang=zh`);
  assert.deepEqual(other.question(), was);
  const { textContent } = page.one("#takeaway .preview").shadowRoot.querySelector("svg");
  assert.ok(textContent.includes("echo — trained, 2 layers × 4 heads"));
});

test("a short link is drawn without the script that reports lost ones", async (t) => {
  const page = await openExplore(t, null);
  const { trace } = await page.json("/api/v1/attention", BODY);
  page.route(/\/share\/lost-question\.js/, () => new Promise(() => undefined)); // it never comes
  await page.open(`/?t=${trace}`);
  assert.equal(page.sentence.value, "a cat sat");
});

test("a link to a forgotten question says so", async (t) => {
  const page = await openExplore(t, `/?t=${"0".repeat(32)}`);
  const alert = page.one("#main > [role=alert]");
  assert.ok(alert.textContent.includes("This link leads nowhere."));
  await page.click(page.button("Close", alert));
  assert.equal(alert.checkVisibility(), false);
  assert.equal(page.address, SEEDED);
});

full("the command asks the same question, whatever its text", async (t) => {
  const text = 'it\'s \\ "so" $HOME 猫 `爱` 鱼 😀';
  const page = await openExplore(t, `/?text=${encodeURIComponent(text)}`);
  const body = page.question();
  assert.equal(body.text, text);
  const { reply } = await commandOf(page);
  assert.equal(reply.trace, (await page.answer(body)).trace);
  assert.equal(Object.keys(reply.layers[0]).length, 1);
});

full("a command with long matrices reads them from behind it", async (t) => {
  const page = await openTyped(t, "/?positions=rotary&cell=w_q.3.5");
  const body = await type(page, "9");
  assert.equal(body.model.positions, "rotary");
  await page.shows(body);
  const { command, reply } = await commandOf(page);
  const [line] = command.split("<<");
  assert.ok(line.split(/\s+/).every((word) => word.length < 100));
  assert.equal(reply.trace, (await page.answer(body)).trace);
});
