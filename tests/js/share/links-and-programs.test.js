import assert from "node:assert/strict";
import test from "node:test";
import { execFileSync } from "node:child_process";
import { keep } from "../../../static/js/core/address/long-questions.js";
import { curl, exportOf, fullLink, noteOf, python } from "../../../static/js/share/links-and-programs.js";
import { asQuestion } from "../../../static/js/core/question.js";
import { openAddress } from "../support/address-bar.js";
import { page } from "../support/sent.js";
import { stateOf } from "../support/state.js";

openAddress("/embed?lang=zh&text=a");
const asking = (text, view = {}) => ({ ...stateOf("cat", view), question: asQuestion(page, { text }) });

test("a full link opens the page itself, in the reader's own language", () => {
  assert.equal(fullLink(asking("it's", { head: 1 }), page), "http://attnscope.test/?text=it%27s&head=1");
});

test("a link that programs may cut, or that names its question, is named", () => {
  const noted = (state) => noteOf(state, fullLink(state, page));
  assert.equal(noted(asking("it's")), null);
  assert.equal(noted(asking("word ".repeat(500))), "share.link_long");
  const vast = asking("word ".repeat(9000));
  keep(vast.question, "0123");
  assert.equal(noted(vast), "share.link_named");
});

test("an export says what is taken", () => {
  assert.equal(exportOf("0123", { format: "npz", layer: 0 }), "/api/v1/traces/0123/export?format=npz&layer=0");
});

/** The words that a shell makes of a command, its input last. */
const words = (command) =>
  JSON.parse(
    execFileSync("sh", ["-s"], {
      input: `curl() { node --input-type=commonjs -e 'const input = process.argv.includes("@-") ? require("fs").readFileSync(0, "utf8") : "";
console.log(JSON.stringify([...process.argv.slice(1), input]))' -- "$@"; }\n${command}`,
    }).toString(),
  );

test("a shell takes the command apart as it was meant, quotes and all", () => {
  const asked = words(curl(asking("it's “a” $HOME `cat`\\"), "weights"));
  assert.equal(asked[1], "http://attnscope.test/api/v1/attention");
  const { text, stages, layers, heads } = JSON.parse(asked.at(-2));
  assert.deepEqual([text, stages, layers, heads], ["it's “a” $HOME `cat`\\", ["weights"], [0], [0]]);
});

test("a body too long for a word of a command follows it", () => {
  const text = "a's ".repeat(9000);
  const asked = words(curl(asking(text), "q"));
  assert.equal(asked.at(-2), "@-");
  assert.equal(JSON.parse(asked.at(-1)).text, text);
});

test("a program has the question as Python writes it, and picks the head where there is one", () => {
  const asked = { ...asking("it's", { batch: 1, head: 2 }) };
  asked.question = { ...asked.question, causal: true, x: null, blocked: [[0, 1]] };
  const program = python(asked, "weights", page);
  assert.match(program, /"causal": True,/);
  assert.match(program, /"blocked": \[\[0, 1\]\],/);
  assert.match(program, /"heads": \[2\],/);
  assert.match(program, /weights = trace\["layers"\]\[0\]\["weights"\]\[1\]\[0\]\n/);
  assert.match(python(asked, "x", page), /x = trace\["layers"\]\[0\]\["x"\]\[1\]\n/);
  assert.ok(!/\b(true|false|null)\b/.test(program));
});

test("numbers made of a trace are asked for after the question", () => {
  const made = { path: "/api/v1/traces/0123/stages/weights?layer=0&head=0&tokens=words", name: "values" };
  assert.match(
    curl(asking("it's"), "weights", made),
    /-o \/dev\/null .*traces [\s\S]*\ncurl -sS 'http:.*tokens=words'\n$/,
  );
  const program = python(asking("a"), "weights", page, made);
  assert.match(program, /urlopen\("http:.*tokens=words"\) as reply:\n {4}weights = json.load\(reply\)\["values"\]\n/);
  execFileSync("python3", ["-c", "import ast, sys; ast.parse(sys.stdin.read())"], { input: program });
});
