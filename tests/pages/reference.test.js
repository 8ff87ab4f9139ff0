/** The page of the API: every operation is on it, and can be tried as it stands or with other values. */

import assert from "node:assert/strict";
import test from "node:test";
import { later } from "./support/clock.js";
import { full } from "./support/full.js";
import { Page, kept } from "./support/page.js";

async function openReference(t) {
  const page = kept(t, new Page());
  await page.goto("/api");
  return page;
}

/** The articles that a heading names: "GET /healthz". @param {Page} page @param {string} name */
const articles = (page, name) =>
  page.all("article").filter((each) => each.querySelector("h3").textContent.trim().replace(/\s+/g, " ") === name);

/** The form of an operation, once it is opened. @param {Page} page @param {string} name */
async function opened(page, name) {
  const [article] = articles(page, name);
  await page.click(page.in(article).getByText("Try it"));
  const form = page.one("form", article);
  assert.ok(form.checkVisibility());
  /** @param {...string | RegExp} parts of the reply */
  async function send(...parts) {
    await page.click(page.in(form).getByRole("button", { name: "Send" }));
    await page.until(() => parts.forEach((part) => assert.ok(form.textContent.includes(part), form.textContent)));
  }
  return { form, send, outcome: page.in(form).getByRole("status") };
}

full("every operation of the description is on the page", async (t) => {
  const page = await openReference(t);
  const { paths } = await page.json("/api/openapi.json");
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => ({ name: `${method.toUpperCase()} ${path}`, summary })),
  );
  assert.ok(described.length > 12);
  for (const { name, summary } of described) {
    const found = articles(page, name);
    assert.equal(found.length, 1, name);
    assert.ok(found[0].textContent.includes(summary), name);
  }
});

test("operations are tried as they stand and with other values", async (t) => {
  const page = await openReference(t);

  await t.test("a question with its body", async () => {
    const { form, send } = await opened(page, "POST /api/v1/attention");
    await send("200", '"num_heads": 4');
    await page.fill(page.in(form).getByRole("textbox", { name: "Body" }), '{"text": "one two", "stages": ["weights"]}');
    await send("200", '"weights"', '"max_row_sum_error"');
    assert.deepEqual(page.asked.at(-1).body, { text: "one two", stages: ["weights"] });
  });

  await t.test("a trace by its name", async () => {
    const { trace } = await page.json("/api/v1/traces", { text: "The cat sat" });
    const { form, send, outcome } = await opened(page, "GET /api/v1/traces/{id}");
    const id = page.in(form).getByRole("textbox", { name: "id" });
    await page.fill(id, trace);
    await send("200", trace);
    assert.equal(outcome.classList.contains("error"), false);
    await page.fill(id, "nowhere");
    await send("404", "unknown_trace");
    assert.equal(outcome.classList.contains("error"), true);
  });

  await t.test("of two requests on their way the last is answered", async () => {
    const { form, outcome } = await opened(page, "GET /api/v1/traces/{id}/question");
    const held = [];
    page.route(/^\/api\/v1\/traces\//, () => {
      held.push(later());
      return held.at(-1).reply;
    });
    for (const id of ["first", "second"]) {
      await page.fill(page.in(form).getByRole("textbox", { name: "id" }), id);
      await page.click(page.in(form).getByRole("button", { name: "Send" }));
    }
    await page.until(() => assert.equal(held.length, 2));
    held[1].send(Response.json({ trace: "of the second" }));
    await page.until(() => assert.ok(form.textContent.includes("of the second")));
    held[0].send(Response.json({ trace: "of the first" }, { status: 404 }));
    await page.arrived();
    assert.ok(form.textContent.includes("of the second"), form.textContent);
    assert.match(outcome.textContent, /200/);
    page.unroute();
  });

  await t.test("the health of the server, and a server that does not answer", async () => {
    const { send } = await opened(page, "GET /healthz");
    await send("200", '"ok"');
    page.route(/^\/healthz$/, () => Promise.reject(new TypeError("fetch failed")));
    await send("attnscope is running");
  });
});
