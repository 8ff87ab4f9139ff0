import assert from "node:assert/strict";
import test, { describe } from "node:test";
import { readAddress, writeAddress, firstScreen, openedBy } from "../../../../static/js/core/address/address.js";
import { DEFAULT_VIEW } from "../../../../static/js/core/address/fields.js";
import { keep } from "../../../../static/js/core/address/long-questions.js";
import { defaultQuestion, asQuestion } from "../../../../static/js/core/question.js";
import { page, page as sent } from "../../support/sent.js";

describe("address", () => {
  const HOME = new URL("http://attnscope.test/");
  const read = (address) => readAddress(new URL(address, HOME), page);
  const write = (body, view = {}, at = HOME) =>
    writeAddress({ question: asQuestion(page, body), view: { ...DEFAULT_VIEW, ...view } }, at, page);

  test("a page without parameters asks the default question in the default view", () => {
    assert.deepEqual(read("/"), { question: defaultQuestion(page), view: DEFAULT_VIEW, ignored: [] });
    assert.equal(write({}), "/");
  });

  test("a trained model is asked its task's example where no text is given", () => {
    const { question } = readAddress(new URL("http://host/?source=trained&task=reverse"), page);
    assert.equal(question.text, page.lessons.reverse.example);
    const unknown = readAddress(new URL("http://host/?source=trained&task=x&text=a"), page);
    assert.equal(unknown.question.text, "a");
  });

  test("the steps of a trained model are written beside the step of the view", () => {
    const model = { source: "trained", task: "reverse", step: 40, rate: 0.1 };
    const address = write({ text: "a b | b", model }, { step: { chapter: "scores", t: 0.5 } });
    assert.equal(address, "/?text=a%20b%20%7C%20b&source=trained&task=reverse&rate=0.1&steps=40&step=scores.50");
    const { question, view, ignored } = read(address);
    assert.deepEqual([question.model.task, question.model.step, view.step?.chapter], ["reverse", 40, "scores"]);
    assert.deepEqual(ignored, []);
    assert.deepEqual(read("/?steps=40").ignored, ["steps=40"]);
  });

  test("addresses that were given away once mean what they meant", () => {
    const { question, view, ignored } = read(
      "/?text=the%20cat&causal=true&blocked=0.1_1.0&scale=none&d_model=32&num_heads=4&seed=7&cell=weights.2.1" +
        "&heads=0.1_1.3&picked=key.1_2&objective=output.3.2&step=scores.45&present=1&range=row&tab=lines",
    );
    assert.deepEqual(ignored, []);
    const { d_model, num_heads, seed } = question.model;
    assert.deepEqual([question.text, question.causal, question.scale], ["the cat", true, "none"]);
    assert.deepEqual(question.blocked, [
      [0, 1],
      [1, 0],
    ]);
    assert.deepEqual([d_model, num_heads, seed], [32, 4, 7]);
    assert.deepEqual(view.cell, { stage: "weights", row: 2, col: 1 });
    assert.deepEqual(
      [view.heads, view.picked],
      [
        [
          [0, 1],
          [1, 3],
        ],
        { axis: "key", at: [1, 2] },
      ],
    );
    assert.deepEqual(view.objective, { at: "output", row: 3, col: 2 });
    assert.deepEqual([view.step, view.present], [{ chapter: "scores", t: 0.45 }, true]);
    assert.deepEqual([view.range, view.tab], ["row", "lines"]);
  });

  test("a tab is opened by its name on the page, and by that of old addresses", () => {
    for (const [said, tab] of Object.entries({ laboratory: "lab", weights: "parameters", map: "map" })) {
      const { view, ignored } = read(`/?tab=${said}`);
      assert.deepEqual([view.tab, ignored], [tab, []]);
    }
  });

  const QUESTIONS = [
    { text: "a b\nc", temperature: 0.5, window: 3, prefix: 2, causal: true },
    { text: "猫 & + % =", tokenizer: "characters", context_length: 12 },
    { text: "a\nb", pair: "p q\nr", model: { source: "installed", name: "bert" } },
    { text: "a", pair: "é".repeat(2000), model: { source: "installed", name: "bert" } },
    { text: "a", context: "p q", scale: 0.25, dtype: "float32", blocked: [[0, 0]] },
    { text: "a", model: { source: "seeded", d_model: 8, num_heads: 4, num_kv_heads: 2, mlp: true, block: "pre_norm" } },
    { text: "a", model: { source: "uploaded", id: "0123" } },
    { text: "a", model: { source: "crafted", name: "induction" } },
    { text: "a", model: { source: "installed", name: "echo", revision: "step-400" } },
    {
      x: [
        [1, 2],
        [3, 4],
      ],
      tokens: ["a", "b"],
      model: { source: "explicit", w_q: [[1], [2]], b_q: [0.5] },
    },
    { text: "a", context_x: [[1, 2]], model: { source: "explicit", num_heads: 2 } },
    { tokens: [["a"], ["b", "c"]] },
  ];

  test("every question comes back from its address as it went", () => {
    for (const body of QUESTIONS) {
      const { question, ignored } = read(write(body));
      assert.deepEqual(question, asQuestion(page, body));
      assert.deepEqual(ignored, []);
    }
  });

  test("a model on the server is always written by its name, whichever others there are", () => {
    assert.equal(
      write({ text: "a", model: { source: "installed", name: "echo" } }),
      "/?text=a&source=installed&name=echo",
    );
    const own = page.installed.find(({ language }) => language === page.lang);
    assert.equal(read("/?source=installed").question.model.name, own.name);
  });

  const VIEWS = [
    { batch: 1, layer: 2, head: 3, tab: "heads", metric: "distance", sorted: true, above: 0.25, combine: "max" },
    { cell: { stage: "w_q", row: 0, col: 9 }, stage: "context", table: true, precision: 8 },
    {
      heads: [
        [0, 1],
        [2, 3],
      ],
      picked: { axis: "query", at: [4, 0] },
      threshold: 0.5,
      layout: "horizontal",
    },
    { tab: "gradients", objective: { at: "block_output", row: 2, col: null } },
    { tab: "decode", prefill: 3, decoded: 0, rollout: true },
    { tab: "lab", lab: "precision", width: 512, factor: 0.5, rounding: "bfloat16" },
    { change: "mask", since: "0123456789abcdef0123456789abcdef", range: "data" },
    { step: { chapter: "head_outputs", t: 1 }, present: true },
  ];

  test("every view comes back from its address as it went", () => {
    for (const view of VIEWS) {
      const found = read(write({}, view));
      assert.deepEqual(found.view, { ...DEFAULT_VIEW, ...view });
      assert.deepEqual(found.ignored, []);
    }
  });

  test("a default writes nothing", () => {
    assert.equal(write({ text: "a" }, { precision: 6 }), "/?text=a&precision=6");
  });

  test("colours from 0 to 1 whatever the length are said, and those that follow the length are not", () => {
    assert.equal(write({ text: "a" }, { range: "fixed" }), "/?text=a&range=fixed");
    assert.equal(write({ text: "a" }, { range: "auto" }), "/?text=a");
    for (const range of ["auto", "fixed", "row", "data"]) assert.equal(read(`/?range=${range}`).view.range, range);
  });

  test("what means nothing here is named as it stands in the address", () => {
    for (const each of [
      "tab=nowhere",
      "cell=nothing.0.0",
      "cell=weights.1",
      "head=-1",
      "head=1.5",
      "window=wide",
      "causal=yes",
      "threshold=",
      "precision=5",
      "since=abc",
      "step=scores.101",
      "picked=row.1",
      "blocked=1",
      "objective=x.1",
      "colour=red",
      "source=nobody",
      "width=0",
      "t=unknown",
      "present=0",
      "name=induction",
    ]) {
      const { question, view, ignored } = read(`/?${each}`);
      assert.deepEqual(ignored, [each.replace(/=$/, "")], each);
      assert.deepEqual([question, view], [defaultQuestion(page), DEFAULT_VIEW]);
    }
  });

  test("parameters of one source mean nothing to another", () => {
    const { question, ignored } = read("/?source=crafted&name=induction&d_model=32");
    assert.deepEqual([question.model.name, ignored], ["induction", ["d_model=32"]]);
  });

  test("matrices of a hash are given to an explicit model, and named where there is none", () => {
    const hash = `#${encodeURIComponent(JSON.stringify({ w_q: [[5]] }))}`;
    assert.deepEqual(read(`/?source=explicit${hash}`).question.model.w_q, [[5]]);
    assert.deepEqual(read(`/${hash}`).ignored, ["w_q"]);
  });

  test("the language of the page is kept, and its path", () => {
    const inChinese = { ...page, lang: "zh" };
    const address = writeAddress(read("/embed?text=a"), new URL("/embed?lang=zh&text=b", HOME), inChinese);
    assert.equal(address, "/embed?lang=zh&text=a");
  });

  test("a language that the page is not in is named, and not written again", () => {
    for (const rest of ["", "&text=a"]) assert.deepEqual(read(`/?lang=xx${rest}`).ignored, ["lang=xx"]);
    assert.deepEqual(read("/?lang=en").ignored, []);
    assert.equal(write({ text: "a" }, {}, new URL("/?lang=xx", HOME)), "/?text=a");
  });

  test("spaces are written so that every program reads them", () => {
    assert.equal(write({ text: "a b+c" }), "/?text=a%20b%2Bc");
  });

  test("a question that is kept is named by its trace, with the view beside it", () => {
    const trace = "fedcba9876543210fedcba9876543210";
    const question = asQuestion(page, { text: "a", seed: 1 });
    keep(question, trace);
    const address = writeAddress({ question, view: { ...DEFAULT_VIEW, head: 2 } }, HOME, page);
    assert.equal(address, `/?t=${trace}&head=2`);
    const found = read(address);
    assert.equal(found.question, question);
    assert.deepEqual([found.view.head, found.ignored], [2, []]);
  });
});

describe("first screen", () => {
  const model = { source: "installed", name: "echo" };
  const page = { ...sent, first: { question: { text: "a b a", model }, view: { layer: 1 } } };
  const url = (address) => new URL(address, "http://attnscope.test");
  const inLanguageOf = (address) => ({ ...page, lang: url(address).searchParams.get("lang") ?? page.lang });
  const read = (address) => readAddress(url(address), inLanguageOf(address));
  const write = (state) => writeAddress(state, url("/"), page);

  test("an address that says nothing, or the language alone, opens the first screen", () => {
    for (const address of ["/", "/?lang=zh", "/#"]) {
      const { question, view, ignored } = read(address);
      assert.deepEqual([question.text, question.model.name, view.layer, view.head], ["a b a", "echo", 1, 0]);
      assert.deepEqual(ignored, []);
    }
  });

  test("an address with any parameter means what it meant", () => {
    for (const address of ["/?source=seeded", "/?head=1", "/?lang=en&text=x", "/?nonsense=1"])
      assert.equal(read(address).question.model.source, "seeded");
    assert.equal(openedBy(url("/#x=%5B%5B1%5D%5D"), page), null);
  });

  test("what the page opens on writes nothing, in the language of the address", () => {
    assert.equal(write(read("/")), "/");
    assert.equal(writeAddress(read("/"), url("/?lang=zh"), inLanguageOf("/?lang=zh")), "/?lang=zh");
    assert.match(
      write({ ...read("/"), view: { ...read("/").view, head: 2 } }),
      /source=installed&name=echo&layer=1&head=2/,
    );
  });

  test("a link that is given away spells out what the page opens on", () => {
    const link = writeAddress(read("/"), url("/"), page, true);
    assert.match(link, /text=a%20b%20a&source=installed&name=echo&layer=1/);
    assert.deepEqual(read(link).question, read("/").question);
  });

  test("the default question says that it is seeded, and what differs from it says so itself", () => {
    const { view } = read("/?source=seeded");
    assert.equal(write({ question: defaultQuestion(page), view }), "/?source=seeded");
    assert.equal(write({ question: defaultQuestion(page), view: { ...view, head: 1 } }), "/?head=1");
    assert.equal(read("/?source=seeded").view.layer, 0);
  });

  test("where no model is there the default question is the first", () => {
    assert.equal(firstScreen(sent), null);
    assert.equal(writeAddress(readAddress(url("/"), sent), url("/"), sent), "/");
  });
});
