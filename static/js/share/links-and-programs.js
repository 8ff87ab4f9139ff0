import { writeAddress } from "../core/address/address.js";
import { DEFAULT_VIEW } from "../core/address/fields.js";
import { keptName } from "../core/address/long-questions.js";
import { headAxis, stageOf } from "../core/page.js";
import { bodyOf } from "../core/question.js";

/** @param {State} state @param {Page} page */
export function fullLink({ question, view }, page) {
  return new URL(writeAddress({ question, view }, new URL("/", location.href), page, true), location.href).href;
}

const MAX_LINK = 2000; // characters; mail and chat cut longer links

/** Message key of a note on the link, or null. @param {Pick<State, "question">} state @param {string} link */
export function noteOf({ question }, link) {
  if (keptName(question)) return "share.link_named";
  return link.length > MAX_LINK ? "share.link_long" : null;
}

/**
 * @param {State} state @param {string} stage @param {string} title @param {Page} page
 */
export function frameCode({ question, view }, stage, title, page) {
  const seen = { ...view, stage, tab: DEFAULT_VIEW.tab, change: null, since: null, step: null, present: false };
  const address = writeAddress({ question, view: seen }, new URL("/embed", location.href), page);
  const [src, name] = [new URL(address, location.href).href, title].map(inAttribute);
  return `<iframe src="${src}" title="${name}" width="640" height="560" loading="lazy"></iframe>`;
}

/** @param {string} text */
const inAttribute = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/**
 * @param {string} trace @param {Record<string, string | number>} choice format, stages, layer, head
 */
export function exportOf(trace, choice) {
  const query = new URLSearchParams(Object.entries(choice).map(([name, value]) => [name, String(value)]));
  return `/api/v1/traces/${trace}/export?${query}`;
}

const LONGEST_WORD = 30_000; // characters that every shell accepts

/** @param {State} state @param {string} stage */
function requestOf({ question, view }, stage) {
  return { ...bodyOf(question), stages: [stage], layers: [view.layer], heads: [view.head] };
}

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** @typedef {{path: string, name: string}} Computed by the server; `name`: the rows' field in the reply */

/** curl command, which reads a long body from stdin. @param {string} path @param {string} body */
function curlPost(path, body) {
  const data = body.length > LONGEST_WORD ? `@- <<'QUESTION'\n${body}\nQUESTION` : quoted(body);
  return `curl -sS ${location.origin}${path} \\\n  -H 'Content-Type: application/json' \\\n  -d ${data}\n`;
}

/**
 * Numbers of the trace need a second command.
 * @param {State} state @param {string} stage @param {Computed | null} [computed]
 */
export function curl(state, stage, computed = null) {
  if (!computed) return curlPost("/api/v1/attention", JSON.stringify(requestOf(state, stage)));
  const first = curlPost("/api/v1/traces", JSON.stringify(bodyOf(state.question))).replace("-sS", "-sS -o /dev/null");
  return `${first}curl -sS ${quoted(location.origin + computed.path)}\n`;
}

/**
 * @param {State} state @param {string} stage @param {Page} page @param {Computed | null} [computed]
 */
export function python(state, stage, page, computed = null) {
  const { batch } = state.view;
  const head = headAxis(stageOf(page, stage)) ? "[0]" : "";
  const [question, path] = computed ? [bodyOf(state.question), "traces"] : [requestOf(state, stage), "attention"];
  const rows = computed
    ? [
        "with urlopen(request):",
        "    pass",
        `with urlopen(${JSON.stringify(location.origin + computed.path)}) as reply:`,
        `    ${stage} = json.load(reply)["${computed.name}"]`,
      ]
    : [
        "with urlopen(request) as reply:",
        "    trace = json.load(reply)",
        "",
        `${stage} = trace["layers"][0]["${stage}"][${batch}]${head}`,
      ];
  return [
    "import json",
    "from urllib.request import Request, urlopen",
    "",
    `question = ${literal(question)}`,
    "request = Request(",
    `    "${location.origin}/api/v1/${path}",`,
    "    json.dumps(question).encode(),",
    '    {"Content-Type": "application/json"},',
    ")",
    ...rows,
    `for row in ${stage}:`,
    "    print(row)",
    "",
  ].join("\n");
}

/** @param {unknown} value @param {string} [indent] @returns {string} */
function literal(value, indent = "") {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, indent)).join(", ")}]`;
  const inner = `${indent}    `;
  const lines = Object.entries(value).map(
    ([name, each]) => `${inner}${JSON.stringify(name)}: ${literal(each, inner)},`,
  );
  return `{\n${lines.join("\n")}\n${indent}}`;
}
