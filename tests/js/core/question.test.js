import assert from "node:assert/strict";
import test from "node:test";
import * as core from "../../../static/js/core/question.js";
import { answer, page, question } from "../support/sent.js";

const {
  bodyOf,
  defaultModel,
  defaultQuestion,
  guessShape,
  hasContext,
  asQuestion,
  missing,
  numbersIn,
  sentences,
  textsOf,
} = core;

test("what a body leaves out is the default, and no field is missing", () => {
  const asked = asQuestion(page, { text: "a", temperature: 2 });
  assert.deepEqual([asked.text, asked.temperature, asked.scale], ["a", 2, page.defaults.scale]);
  assert.deepEqual(asQuestion(page, {}), defaultQuestion(page));
  assert.ok(Object.values(asked).every((value) => value !== undefined));
});

test("several texts are lines of one box; numbers and tokens leave the box empty", () => {
  assert.equal(asQuestion(page, { text: ["a b", "c"] }).text, "a b\nc");
  assert.equal(asQuestion(page, { text: "a", tokens: ["b"] }).text, "");
  assert.equal(asQuestion(page, { x: [[1]] }).text, "");
});

test("a context is a box of its own, null without one", () => {
  assert.equal(asQuestion(page, { context: ["a", "b"] }).context, "a\nb");
  assert.equal(asQuestion(page, {}).context, null);
  assert.equal(asQuestion(page, { context_tokens: ["a"] }).context, "");
});

test("a model is completed by what its source starts from", () => {
  assert.equal(asQuestion(page, { model: { source: "seeded", seed: 7 } }).model.d_model, page.defaults.model.d_model);
  const { model } = asQuestion(page, { model: { source: "explicit", num_heads: 2, w_q: [[9]] } });
  assert.deepEqual([model.num_heads, model.w_q, model.w_o], [2, [[9]], null]);
});

test("explicit matrices begin as identities, so that q = k = v = x", () => {
  const { w_q, w_k, w_v } = defaultModel(page, "explicit");
  assert.deepEqual(w_q, [
    [1, 0, 0, 0],
    [0, 1, 0, 0],
    [0, 0, 1, 0],
    [0, 0, 0, 1],
  ]);
  assert.deepEqual([w_k, w_v], [w_q, w_q]);
  assert.equal(defaultModel(page, "uploaded").id, "");
});

test("of the models on the server the first of the page's language is taken, else the first", () => {
  const installed = [
    { name: "addition", language: null },
    { name: "echo", language: "en" },
    { name: "echo-zh", language: "zh" },
  ];
  const taken = (/** @type {string} */ lang) => defaultModel({ ...page, installed, lang }, "installed").name;
  assert.deepEqual(["en", "zh", "fr"].map(taken), ["echo", "echo-zh", "addition"]);
  assert.equal(defaultModel({ ...page, installed: [] }, "installed").name, "");
});

test("a body that was asked is the same body again", () => {
  for (const name of ["cat", "grouped", "layers", "cross"]) {
    const { text, context, model } = bodyOf(question(name));
    const again = asQuestion(page, bodyOf(question(name)));
    assert.deepEqual(again, question(name));
    assert.ok(text && model && (name === "cross") === Boolean(context));
  }
});

test("a body has one text or a list of them, blank lines left out, and nothing that is null", () => {
  assert.equal(bodyOf({ ...asQuestion(page, {}), text: "a b\n\n" }).text, "a b");
  assert.deepEqual(bodyOf({ ...asQuestion(page, {}), text: "a\n  \nb" }).text, ["a", "b"]);
  const body = bodyOf(asQuestion(page, { x: [[1]] }));
  assert.ok(!("text" in body) && !("context" in body));
  assert.ok([body, body.model].every((each) => Object.values(each).every((value) => value !== null)));
});

test("a captured question says which capture, and nothing else", () => {
  const model = { source: "captured", id: "abc" };
  const body = bodyOf({ ...asQuestion(page, {}), model, text: "a b", causal: false });
  assert.deepEqual(body, { model, dtype: null });
});

test("a question that came with line breaks inside a text is asked with them again", () => {
  const bodies = [
    { text: "a\nb" },
    { text: "a\r\nb\n" },
    { text: ["a\n\nb", "c"] },
    { text: "a", context: "b\nc" },
    { text: ["a", "b"], context: ["c\nd", "e"] },
    { text: "a", pair: "b\nc" },
  ];
  for (const body of bodies) {
    const asked = asQuestion(page, body);
    const { text, context, pair } = bodyOf(asked);
    assert.equal(asked.breaks, true);
    assert.deepEqual(JSON.parse(JSON.stringify({ text, context, pair })), body);
    assert.deepEqual(asQuestion(page, bodyOf(asked)), asked);
  }
});

test("a question without them has a text a line, and asks for nothing that was not asked before", () => {
  for (const text of ["a b", ["a b", "c"]]) {
    const asked = asQuestion(page, { text });
    assert.equal(asked.breaks, false);
    assert.deepEqual(bodyOf(asked).text, text);
    assert.ok(!("breaks" in bodyOf(asked)));
  }
});

test("a box is one text or several, as is said of its line breaks", () => {
  const asked = asQuestion(page, { text: ["a", "b"] });
  assert.deepEqual(sentences(asked), ["a", "b"]);
  assert.equal(bodyOf({ ...asked, breaks: true }).text, "a\nb");
  assert.deepEqual(textsOf("a\nb\n␞\n \n␞\nc", true), ["a\nb", "c"]);
  assert.deepEqual(textsOf(null, true), []);
  assert.equal(missing({ ...asked, text: "\n\n", breaks: true }), "empty");
});

test("of a long text the tokens are counted at its beginning, of one with line breaks all together", () => {
  const words = "one two three four\n".repeat(10_000);
  const asked = asQuestion(page, { text: words });
  const { n, batch } = guessShape(asked, null);
  assert.equal(batch, 1);
  assert.ok(Math.abs(n - 40_000) < 400, String(n));
  assert.deepEqual([guessShape(asQuestion(page, { text: "a b\nc" }), null).n], [3]);
});

test("a second sentence is a box of its own, and is asked beside words alone", () => {
  assert.equal(asQuestion(page, {}).pair, null);
  const asked = asQuestion(page, { text: ["a", "b"], pair: ["c", "d"] });
  assert.equal(asked.pair, "c\nd");
  assert.deepEqual(bodyOf(asked).pair, ["c", "d"]);
  assert.equal(bodyOf({ ...asked, text: "a", pair: " c " }).pair, " c ");
  assert.ok(!("pair" in bodyOf({ ...asked, pair: " \n" })));
  assert.ok(!("pair" in bodyOf({ ...asked, text: "", x: [[1]] })));
  assert.ok(!("pair" in bodyOf({ ...asked, text: "", tokens: ["a"] })));
});

test("beside a context, masks that compare places are not asked for and not forgotten", () => {
  const asked = asQuestion(page, { text: "a", context: "b", causal: true, window: 3, prefix: 1 });
  const body = bodyOf(asked);
  assert.deepEqual([body.causal, body.window, body.prefix, body.context], [undefined, undefined, 0, "b"]);
  assert.deepEqual([asked.causal, asked.window, asked.prefix], [true, 3, 1]);
  const emptied = bodyOf({ ...asked, context: "  " });
  assert.deepEqual([emptied.causal, emptied.context], [true, undefined]);
});

test("an empty box is no context", () => {
  assert.deepEqual(
    [null, "", " \n", "a"].map((context) => hasContext({ context })),
    [false, false, false, true],
  );
  assert.equal(hasContext({ context_x: [[1]] }), true);
});

test("without words there is nothing to ask, nor of an upload that is not there", () => {
  assert.equal(missing(asQuestion(page, { text: " \n" })), "empty");
  assert.equal(missing(asQuestion(page, { text: "", tokens: ["a"] })), null);
  assert.equal(missing(asQuestion(page, { model: { source: "uploaded" } })), "no_upload");
  assert.equal(missing(asQuestion(page, { model: { source: "uploaded", id: "7" } })), null);
  assert.deepEqual(sentences({ text: "a\n\n b \n" }), ["a", " b "]);
});

test("the matrices are the parameters that can be written out, in the order of the server", () => {
  const names = page.parameters.map(({ name }) => name);
  assert.deepEqual(
    core.MATRICES,
    names.filter((name) => name in page.models.explicit),
  );
});

test("the sizes of an answer are guessed right before it has come", () => {
  for (const name of ["cat", "batch", "grouped", "layers", "cross"]) {
    const { shape } = answer(name).reply;
    const guessed = guessShape(question(name), null);
    for (const size of ["batch", "num_layers", "num_heads", "num_kv_heads", "n", "m", "d_model", "d_k", "d_v"])
      assert.equal(guessed[size], shape[size], `${size} of ${name}`);
  }
});

test("given tokens and numbers are counted as they are, and padding counts", () => {
  const sizes = (body) => {
    const { batch, n, m } = guessShape(asQuestion(page, body), null);
    return [batch, n, m];
  };
  assert.deepEqual(sizes({ tokens: ["a", "b"] }), [1, 2, 2]);
  assert.deepEqual(sizes({ tokens: [["a"], ["b", "c", "d"]] }), [2, 3, 3]);
  assert.deepEqual(
    sizes({
      x: [
        [1, 2],
        [3, 4],
      ],
    }),
    [1, 2, 2],
  );
  assert.deepEqual(
    sizes({
      x: [
        [[1], [2]],
        [[3], [4]],
      ],
    }),
    [2, 2, 2],
  );
  assert.deepEqual(sizes({ text: "a b", context_length: 9 }), [1, 9, 9]);
  assert.deepEqual(sizes({ text: "don't 猫爱", tokenizer: "characters" }), [1, 7, 7]);
});

test("the numbers of a trace are counted as the server sends them, shared heads once", () => {
  for (const name of ["cat", "batch", "grouped", "layers", "given"]) {
    const { reply, tensors } = answer(name);
    const sent = [...tensors.values()].reduce((sum, { values }) => sum + values.length, 0);
    assert.equal(numbersIn(page.stages, reply.shape), sent, name);
    assert.equal(numbersIn(page.stages, guessShape(question(name), null)), sent, name);
  }
});
