/** The models on the server: listed, searched, with their singular values. */

import assert from "node:assert/strict";
import test from "node:test";
import { Page, kept } from "./support/page.js";

const ECHO = "/models/echo";
const RANK = 32; // columns of a head

async function openModels(t, address) {
  const page = kept(t, new Page());
  await page.goto(address);
  return page;
}

/** The singular values that the server computes for a head. */
const valuesOf = async (page, matrix, { revision, layer, head }) => {
  const query = new URLSearchParams({ revision, layer, head, tensors: "false" });
  const { heads } = await page.json(`/api/v1/models/installed/echo/spectrum?${query}`);
  return heads[0].matrices[matrix].singular_values;
};

test("the page lists the models, each with links to Explore and to its details", async (t) => {
  const page = await openModels(t, "/models");
  assert.equal(page.document.title, "Models · attnscope");
  const current = page.one("nav a[aria-current=page]");
  assert.deepEqual([current.textContent, current.getAttribute("href")], ["Models", "/models"]);
  const link = page.in().getByRole("link", { name: "Open in Explore: addition" });
  assert.ok(link.getAttribute("href").includes("source=installed&name=addition"));
  assert.equal(page.in().getByRole("link", { name: "echo" }).getAttribute("href"), ECHO);
});

test("tensors are searched by words", async (t) => {
  const page = await openModels(t, ECHO);
  const shown = () => page.all("#tensors tbody tr").filter((row) => row.checkVisibility());
  assert.equal(shown().length, 16);
  await page.user.type(page.in().getByLabelText("Search"), "1 w_");
  const names = ["k", "o", "q", "v"].map((letter) => `layers.1.w_${letter}`);
  assert.deepEqual(
    shown().map((row) => row.querySelector("th").textContent),
    names,
  );
  assert.equal(page.one(".search [role=status]").textContent, "4 of 16");
});

test("the singular values are those of the chosen layer, head, matrix and revision", async (t) => {
  const page = await openModels(t, ECHO);
  const spectra = page.in(page.one("#spectra"));
  await page.until(() => assert.equal(page.all("#spectra svg rect").length, RANK));
  await page.choose(spectra.getByLabelText("Layer"), "1");
  await page.choose(spectra.getByLabelText("Head"), "2");
  await page.click(page.all("#spectra button").find(({ textContent }) => textContent === "WQ WKᵀ"));
  await page.click(spectra.getByLabelText("as tables"));
  await page.until(() => assert.equal(page.one("#spectra h3").textContent, "Singular values of WQ WKᵀ, head 2"));
  for (const revision of ["step-3200", "step-400"]) {
    await page.choose(spectra.getByLabelText("Revision"), revision);
    const values = await valuesOf(page, "w_qk", { revision, layer: 1, head: 2 });
    await page.until(() => {
      const cells = page.all("#spectra .sheet tbody td").map(({ textContent }) => Number(textContent.replace(",", "")));
      assert.equal(cells.length, 2 * RANK); // the values, and their shares
      values
        .slice(0, RANK)
        .forEach((value, at) => assert.ok(Math.abs(cells[at] - value) <= 2e-6 * value, `${cells[at]} ${value}`));
    });
  }
});

test("a server that does not answer is reported, and asked again with the next choice", async (t) => {
  const page = await openModels(t, ECHO);
  await page.see("#spectra svg");
  page.route(/\/spectrum/, () => {
    throw new TypeError("Failed to fetch");
  });
  const head = page.in(page.one("#spectra")).getByLabelText("Head");
  await page.choose(head, "1");
  const error = await page.see("#spectra .error");
  assert.ok(error.textContent.includes("The server does not answer."));
  page.unroute();
  await page.choose(head, "2");
  await page.until(() => assert.ok(page.one("#spectra h3").textContent.includes("head 2")));
});
