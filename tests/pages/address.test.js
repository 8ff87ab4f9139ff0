/** State is the URL: a default writes nothing, a reload restores everything, back and forward walk. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SEEDED } from "./support/explore.js";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";

const picture = (page, layer, head) => page.button(new RegExp(`, layer ${layer}, head ${head}$`));
const restored = (page) => page.until(() => assert.ok(page.asked.some(({ path }) => path.endsWith("/attention"))));

/** Loads the page again; its question is the same. */
async function reload(page, body) {
  await page.reload();
  await page.whole();
  await restored(page);
  assert.deepEqual(page.question(), body);
}

describe("the address", () => {
  const visit = onePage();

  full("a default writes nothing into the address", async () => {
    const page = await visit();
    assert.equal(page.address, SEEDED);
    const seed = await page.field("seed");
    await page.ask(() => page.fill(seed, "1"));
    await page.until(() => assert.equal(page.address, "/?seed=1"));
    await page.fill(seed, "0");
    await page.until(() => assert.equal(page.address, SEEDED));
  });

  test("a reload restores the question, the head and the pinned cell", async () => {
    const page = await visit();
    const text = "大熊猫 eats bamboo & leaves + roots?";
    await page.ask(() => page.fill(page.sentence, text));
    await page.drawer();
    for (const [name, value] of [
      ["seed", "9"],
      ["heads", "2"],
    ])
      // prettier-ignore
      await page.ask(() => page.fill(page.in().getByRole("spinbutton", { name }), value));
    await page.ask(() => page.choose(page.in().getByRole("combobox", { name: "Mask" }), "none"));
    const body = await page.ask(() => page.choose(page.in().getByRole("combobox", { name: "Scale" }), "none"));
    const reply = await page.shows(body);
    await page.click(picture(page, 0, 1));
    await page.shows(body, ["weights"], { head: 1 });
    await page.pick("weights", [3, 2], [reply.shape.n, reply.shape.n]);
    const { textContent: given } = await page.see("#inspector output");
    await page.addressHas("cell=weights.3.2");
    const { address } = page;
    await reload(page, body);
    await page.shows(body, ["x", "q", "weights", "output"], { head: 1 });
    await page.until(() => assert.equal(page.one("#inspector output").textContent, given));
    assert.equal(page.sentence.value, text);
    assert.equal((await page.field("seed")).value, "9");
    assert.equal(page.in().getByRole("spinbutton", { name: "heads" }).value, "2");
    assert.equal(page.canvas("weights").dataset.head, "1");
    assert.equal(page.address, address);
  });

  full("several sentences and the chosen one are restored", async () => {
    const page = await visit();
    const chooser = () => page.in().getByRole("combobox", { name: "Sentence of the batch" });
    const body = await page.ask(() => page.fill(page.sentence, "one two three\nfour five"));
    await page.shows(body);
    await page.choose(chooser(), "1");
    await page.shows(body, ["weights"], { batch: 1 });
    await reload(page, body);
    assert.equal(page.sentence.value, "one two three\nfour five");
    await page.shows(body, ["weights"], { batch: 1 });
    assert.equal(chooser().value, "1");
  });

  full("explicit matrices are restored", async () => {
    const page = await visit();
    await page.ask(async () => page.choose(await page.field("Model"), "explicit"));
    await page.click(await page.in().findByRole("button", { name: "Edit…" }));
    const box = (name) => page.in().getByRole("textbox", { name });
    await page.ask(() => page.fill(box("x"), "1 0 2 0\n0 1 0 3"));
    const body = await page.ask(() => page.fill(box(/^w_v/), "1 2\n3 4\n5 6\n7 8"));
    await page.click(page.button("Done"));
    await page.shows(body, ["x", "v", "weights"]);
    await reload(page, body);
    await page.shows(body, ["x", "v", "weights"]);
  });

  full("the positions of explicit matrices are chosen and restored", async () => {
    const page = await visit("/?source=explicit&text=a%20b%20c");
    await page.more();
    const positions = await page.field("positions");
    assert.equal(positions.value, "0");
    const rotary = page.in(positions).getByRole("option", { name: "rotary" });
    const body = await page.ask(() => page.choose(positions, rotary.value));
    assert.equal(body.model.positions, "rotary");
    await page.shows(body, ["x", "q", "weights"]);
    assert.equal(page.address, "/?text=a%20b%20c&source=explicit&positions=rotary");
    await reload(page, body);
    await page.shows(body, ["x", "q", "weights"]);
    assert.ok(page.card("x").textContent.includes("X=E"));
    assert.ok(page.card("q").textContent.includes("Q=R"));
  });

  test("back and forward walk through what was done", async () => {
    const page = await visit();
    const first = page.question();
    await page.shows(first);
    const second = await page.ask(async () => page.fill(await page.field("seed"), "4"));
    await page.shows(second);
    await page.click(picture(page, 0, 3));
    await page.shows(second, ["weights"], { head: 3 });
    page.back();
    await page.shows(second);
    page.back();
    await page.shows(first);
    assert.equal((await page.field("seed")).value, "0");
    page.forward();
    await page.shows(second);
    page.forward();
    await page.shows(second, ["weights"], { head: 3 });
  });

  full("a sentence that is typed is one step back", async () => {
    const page = await visit();
    const first = page.question();
    await page.user.tripleClick(page.sentence);
    await page.user.keyboard("brand new words");
    await page.until(() => assert.equal(page.question().text, "brand new words"));
    await page.shows(page.question());
    page.back();
    await page.until(() => assert.equal(page.sentence.value, first.text));
    await page.shows(first);
  });

  test("a long sentence is kept where the server does not see it", async () => {
    const page = await visit();
    const text = "猫爱吃鱼 ".repeat(200);
    const named = ({ path }) => path === "/api/v1/traces"; // its stages come as pictures
    const { body } = await page.request(() => page.fill(page.sentence, text), named);
    await page.addressHas("#");
    assert.equal(page.window.location.search, "");
    const again = await page.request(() => page.reload(), named);
    assert.deepEqual(again.body, body);
    assert.equal(page.sentence.value, text);
  });
});
