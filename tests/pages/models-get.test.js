/** "Get" on the page of models: what it takes is said first, progress, cancel, and the model in the list. */

import assert from "node:assert/strict";
import test from "node:test";
import { Page, kept } from "./support/page.js";

const INSTALL = /^\/api\/v1\/catalogue\/minilm\/install$/;
const SIZE = 83_506_384;
const ITEM = '<li data-model="minilm"><h3>minilm</h3><a class="button main" href="/?name=minilm">Open</a></li>';

const event = (name, data) => new TextEncoder().encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
const progress = (step, bytes, of = SIZE) => event("progress", { step, bytes, of });
const refusal = (status, code, detail) =>
  new Response(JSON.stringify({ status, code, detail, errors: [] }), {
    status,
    headers: { "Content-Type": "application/problem+json" },
  });

/** The page of models, and a server that installs as the test says. */
async function openModels(t, address = "/models") {
  const page = kept(t, new Page());
  await page.goto(address);
  const row = page.one("[data-offer=minilm]");
  return { page, row, within: page.in(row) };
}

/** Answers the installation with events that the test sends. @returns {{send: (...events: Uint8Array[]) => void, end: () => void, cancelled: () => boolean}} */
function streaming(page) {
  let controller, signal;
  const body = new ReadableStream({ start: (given) => void (controller = given) });
  const { fetch } = page.window;
  page.window.fetch = (path, init) => {
    if (!INSTALL.test(path)) return fetch(path, init);
    signal = init.signal; // as in a browser, it ends a body that is on its way too
    signal.addEventListener("abort", () => controller.error(signal.reason));
    return fetch(path, init);
  };
  page.route(INSTALL, () => new Response(body, { headers: { "Content-Type": "text/event-stream" } }));
  return {
    send: (...events) => events.forEach((each) => controller.enqueue(each)),
    end: () => controller.close(),
    cancelled: () => signal.aborted,
  };
}

/** The server lists minilm from now on. */
function listing(page) {
  page.route(/^\/models/, async ({ url }) => {
    const html = await (await fetch(url, { headers: { "Accept-Language": "en" } })).text();
    return new Response(html.replace('<li data-model="addition"', `${ITEM}<li data-model="addition"`));
  });
}

async function begin(page, within) {
  await page.click(within.getByRole("button", { name: "Get minilm…" }));
  await page.click(within.getByRole("button", { name: "Get 79.6 MiB" }));
}

test("size and licence are said before anything is asked for, and Cancel goes back", async (t) => {
  const { page, within } = await openModels(t);
  const before = page.asked.length;
  const get = within.getByRole("button", { name: "Get minilm…" });
  await page.click(get);
  const now = within.getByRole("button", { name: "Get 79.6 MiB" });
  assert.equal(page.document.activeElement, now);
  const facts = page.one(`#${now.getAttribute("aria-describedby")}`);
  for (const words of [
    /download79\.6 MiB/,
    /disk87\.1 MiB/,
    /licence of the weightsapache-2\.0/,
    /minilm-l6-v2 0\.1\.0/,
  ])
    assert.match(facts.textContent, words);
  await page.click(within.getByRole("button", { name: "Cancel" }));
  assert.equal(page.document.activeElement, get);
  assert.equal(page.asked.length, before);
});

test("progress is drawn and spoken, and the model comes into the list with the focus", async (t) => {
  const { page, row, within } = await openModels(t);
  const { send } = streaming(page);
  listing(page);
  await begin(page, within);
  const bar = within.getByRole("progressbar", { name: "Get minilm" });
  const spoken = within.getByRole("status");
  assert.equal(spoken.textContent, "Looking for the package…");
  assert.equal(bar.hasAttribute("value"), false);
  assert.equal(page.document.activeElement, within.getByRole("button", { name: "Cancel" }));
  send(progress("download", 8_500_000), progress("download", 9_000_000));
  await page.until(() => assert.equal(bar.value, 9_000_000));
  assert.equal(bar.max, SIZE);
  assert.equal(spoken.textContent, "Downloaded 10 %");
  within.getByText("8.6 MiB of 79.6 MiB downloaded");
  send(progress("unpack", 91_345_689, 91_345_689));
  await page.until(() => assert.equal(spoken.textContent, "Unpacked 100 %"));
  send(event("reply", { name: "minilm" }));
  const here = await page.see("[data-model=minilm]");
  await page.until(() => assert.equal(page.document.activeElement, page.one("a", here)));
  assert.equal(row.isConnected, false);
  page.in(page.one("#offers")).getByText("minilm is on this server now.", { selector: "[role=status]" });
});

test("Cancel closes the connection and says that nothing was kept", async (t) => {
  const { page, within } = await openModels(t);
  const { send, cancelled } = streaming(page);
  await begin(page, within);
  send(progress("download", 9_000_000));
  await within.findByText(/downloaded/);
  await page.click(within.getByRole("button", { name: "Cancel" }));
  await page
    .in(page.one("#offers"))
    .findByText("Cancelled: nothing of minilm was kept.", { selector: "[role=status]" });
  assert.ok(cancelled());
  assert.equal(page.document.activeElement, within.getByRole("button", { name: "Get minilm…" }));
});

test("a failure is said where it was asked for, and it can be tried again", async (t) => {
  const { page, within } = await openModels(t);
  for (const [code, detail] of [
    ["fetch_failed", "is there a network?"],
    ["busy", "on its way already"],
  ]) {
    page.route(INSTALL, () => refusal(502, code, detail));
    await (within.queryByRole("button", { name: "Get minilm…" })
      ? begin(page, within)
      : page.click(within.getByRole("button", { name: "Get 79.6 MiB" })));
    await within.findByText(detail, { selector: "[role=alert]" });
    assert.equal(page.document.activeElement, within.getByRole("button", { name: "Get 79.6 MiB" }));
  }
  const { send } = streaming(page);
  await page.click(within.getByRole("button", { name: "Get 79.6 MiB" }));
  assert.equal(within.getByRole("alert").textContent, "");
  send(event("problem", { status: 507, code: "storage_full", detail: "The disk is full." }));
  await within.findByText("The disk is full.", { selector: "[role=alert]" });
});

test("a server that goes away is said, and nothing runs on", async (t) => {
  const { page, within } = await openModels(t);
  const { send, end } = streaming(page);
  await begin(page, within);
  send(progress("download", 9_000_000));
  end();
  await within.findByText(/The server does not answer/, { selector: "[role=alert]" });
  within.getByRole("button", { name: "Get 79.6 MiB" });
});

test("a model that another brought meanwhile is listed", async (t) => {
  const { page, row, within } = await openModels(t);
  page.route(INSTALL, () => refusal(409, "already_there", "minilm is on this server already."));
  listing(page);
  await begin(page, within);
  await page.see("[data-model=minilm]");
  assert.equal(row.isConnected, false);
});

test("two models are brought at once, and all of it is in Chinese too", async (t) => {
  const { page, within } = await openModels(t, "/models?lang=zh");
  const { send } = streaming(page);
  await page.click(within.getByRole("button", { name: "获取 minilm…" }));
  await page.click(within.getByRole("button", { name: "获取（79.6 MiB）" }));
  const other = page.in(page.one("[data-offer=smollm2]"));
  await page.click(other.getByRole("button", { name: "获取 smollm2…" }));
  send(progress("download", 9_000_000));
  await within.findByText("已下载 8.6 MiB，共 79.6 MiB");
  assert.equal(page.document.activeElement, other.getByRole("button", { name: "获取（88.6 MiB）" }));
});
