import assert from "node:assert/strict";
import test from "node:test";
import { areLabels, withToken, withTokenInLongText } from "../../../static/js/editing/replaced-token.js";
import { asQuestion } from "../../../static/js/core/question.js";
import { answerOf } from "../support/made.js";
import { page } from "../support/sent.js";

/** A question of one text, with the tokens it is cut into. */
function asked(text, tokens, tokenizer = "words") {
  const answer = answerOf({}, { tokens: [tokens], lengths: [tokens.length] });
  const question = asQuestion(page, { text, tokenizer });
  return (at, token) => withToken(question, answer, { axis: "query", batch: 0, at }, token);
}

test("a word takes the place of a word, and the text around it stays as it was typed", () => {
  const { text, tokens } = asked("The  cat, she saw.", ["The", "cat", ",", "she", "saw", "."])(1, "dog");
  assert.deepEqual([text, tokens], ["The  dog, she saw.", null]);
});

test("of two equal words the one that is meant is replaced", () => {
  assert.equal(asked("a cat a cat", ["a", "cat", "a", "cat"])(2, "the").text, "a cat the cat");
});

test("what might be cut into other tokens is given token by token", () => {
  const replace = asked("the cat", ["the", "cat"]);
  for (const token of ["two words", "co-op", "x,", "", "🐟"]) {
    const { text, tokens } = replace(1, token);
    assert.deepEqual([text, tokens], ["", ["the", token]]);
  }
});

test("a word beside a letter would grow together with it: then the tokens are given", () => {
  assert.deepEqual(asked("don't", ["don", "'", "t"])(2, "s").tokens, ["don", "'", "s"]);
});

test("a Chinese character stands by itself wherever it is", () => {
  assert.equal(asked("我爱猫", ["我", "爱", "猫"])(1, "看").text, "我看猫");
});

test("a mark that belongs to the letter before it is not torn off", () => {
  const { text, tokens } = asked("e\u0301 b", ["e", "b"])(0, "a");
  assert.deepEqual([text, tokens], ["", ["a", "b"]]);
});

test("between white space anything without white space is a token", () => {
  const replace = asked("a b", ["a", "b"], "whitespace");
  assert.equal(replace(1, "co-op!").text, "a co-op!");
  assert.deepEqual(replace(1, "c d").tokens, ["a", "c d"]);
});

test("by characters one letter takes the place of another", () => {
  const replace = asked("ab c", ["a", "b", "c"], "characters");
  assert.equal(replace(1, "x").text, "ax c");
  assert.deepEqual(replace(1, "xy").tokens, ["a", "xy", "c"]);
});

test("tokens that the text does not hold as they are, as of an upload, are given one by one", () => {
  assert.deepEqual(asked("Cat", ["cat"])(0, "dog").tokens, ["dog"]);
  assert.deepEqual(asked("a - b", ["a", "b"])(1, "c").tokens, ["a", "c"]);
});

test("in a batch the token of one sentence is replaced, blank lines not counted", () => {
  const said = {
    tokens: [
      ["a", null],
      ["b", "c"],
    ],
    lengths: [1, 2],
    shape: { batch: 2 },
  };
  const question = { ...asQuestion(page, {}), text: "a\n\nb c\n" };
  const place = { axis: "query", batch: 1, at: 1 };
  assert.equal(withToken(question, answerOf({}, said), place, "d").text, "a\n\nb d\n");
  assert.deepEqual(withToken(question, answerOf({}, said), place, "d e").tokens, [["a"], ["b", "d e"]]);
});

test("of a text with line breaks a token is replaced, and they stay", () => {
  const question = asQuestion(page, { text: "a\n\nb c\n" });
  const said = { tokens: [["a", "b", "c"]], lengths: [3], shape: { batch: 1 } };
  const place = { axis: "query", batch: 0, at: 2 };
  assert.equal(withToken(question, answerOf({}, said), place, "d").text, "a\n\nb d\n");
});

test("tokens that are given stay given", () => {
  const question = asQuestion(page, { tokens: ["a", "b"] });
  const said = { tokens: [["a", "b"]], lengths: [2] };
  const { text, tokens } = withToken(question, answerOf({}, said), { axis: "query", batch: 0, at: 0 }, "c");
  assert.deepEqual([text, tokens], ["", ["c", "b"]]);
});

test("keys are the context's where there is one, and else the sentence's own", () => {
  const said = { tokens: [["a", "b"]], lengths: [2] };
  const place = { axis: "key", batch: 0, at: 0 };
  const cross = { ...said, context_tokens: [["p", "q"]], context_lengths: [2] };
  const both = asQuestion(page, { text: "a b", context: "p q" });
  const after = withToken(both, answerOf({}, cross), place, "r");
  assert.deepEqual([after.text, after.context], ["a b", "r q"]);
  assert.equal(withToken(asQuestion(page, { text: "a b" }), answerOf({}, said), place, "r").text, "r b");
});

test("tokens beside given numbers are names alone", () => {
  const question = asQuestion(page, { x: [[1, 2]], text: "", context: "a" });
  assert.deepEqual([areLabels(question, "query"), areLabels(question, "key")], [true, false]);
});

test("a piece of a trained model keeps its space, and what is typed is cut into pieces again", () => {
  const tokens = ["Harry", " Pot", "ter", " met"];
  const answer = answerOf({}, { tokens: [tokens], lengths: [4] });
  const question = asQuestion(page, { text: "Harry Potter met", model: { source: "installed", name: "echo" } });
  const replaced = (at, token) => withToken(question, answer, { axis: "query", batch: 0, at }, token).text;
  assert.equal(replaced(3, "saw two"), "Harry Potter saw two");
  assert.equal(replaced(2, "s"), "Harry Pots met");
});

test("of two sentences that are read together the one that a token is in changes, and the signs around them stay", () => {
  const tokens = [["[CLS]", "the", "cat", "[SEP]", "é", "saw", "[SEP]"]];
  const offsets = [
    [0, 0],
    [0, 3],
    [4, 7],
    [7, 7],
    [0, 2],
    [3, 6],
    [6, 6],
  ];
  const sentences = [[0, 0, 0, 0, 1, 1, 1]];
  const answer = answerOf({}, { tokens, lengths: [7], offsets: [offsets], sentences });
  const question = asQuestion(page, { text: "The cat", pair: "😀é saw" });
  const replaced = (at) => withToken(question, answer, { axis: "query", batch: 0, at }, "dog");
  assert.deepEqual([replaced(2).text, replaced(2).pair], ["The dog", "😀é saw"]);
  assert.deepEqual([replaced(5).text, replaced(5).pair], ["The cat", "😀é dog"]);
  assert.equal(replaced(3), question);
});

test("in a long text a token is replaced where the server says that it stands", () => {
  const question = asQuestion(page, { text: "🐟 one\ntwo one" });
  const place = { axis: "query", batch: 0, at: 3 };
  assert.equal(withTokenInLongText(question, place, [10, 13], "six").text, "🐟 one\ntwo six");
  assert.equal(withTokenInLongText(question, place, [9, 13], " six ").text, "🐟 one\ntwo six"); // a piece with its space
  assert.equal(withTokenInLongText(question, place, null, "six"), question);
  const two = { ...asQuestion(page, {}), text: "a b\n\nc d", context: "e f" };
  assert.equal(withTokenInLongText(two, { ...place, batch: 1 }, [2, 3], "x").text, "a b\n\nc x");
  assert.equal(withTokenInLongText(two, { ...place, axis: "key" }, [0, 1], "x").context, "x f");
});

test("tokens that are given one by one are replaced in their list, however long", () => {
  const place = { axis: "query", batch: 1, at: 0 };
  const one = asQuestion(page, { tokens: ["a", "b"] });
  assert.deepEqual(withTokenInLongText(one, place, null, "c").tokens, ["c", "b"]);
  const two = asQuestion(page, { tokens: [["a"], ["b", "c"]] });
  assert.deepEqual(withTokenInLongText(two, place, null, "d").tokens, [["a"], ["d", "c"]]);
});
