/**
 * Finds elements by the selectors that pages use most, in one walk over what jsdom keeps of each element. jsdom itself
 * makes a live list of the whole document for each selector: a quarter of the time of a test.
 */

import wrappers from "jsdom/lib/jsdom/living/generated/utils.js";
import internals from "jsdom/lib/jsdom/living/helpers/internal-constants.js";

const { implForWrapper, wrapperForImpl } = wrappers;
const TREE = internals.domSymbolTree.symbol;
const ELEMENT = 1;

/** @typedef {(element: any) => boolean} Test of an element as jsdom keeps it */

const PART =
  /\*|[a-z][a-z0-9]*|#[\w-]+|\.[\w-]+|\[([a-z-]+)(?:([~^$*]?=)(?:"([^"\\]*)"|'([^'\\]*)'|([\w-]+)))?\]|(:not)\(/y;
const BETWEEN = /\s*([>,])\s*|\s*(\))|\s+/y;
const OPERATORS = {
  "=": (found, wanted) => found === wanted,
  "~=": (found, wanted) => found.split(/\s+/).includes(wanted),
  "^=": (found, wanted) => wanted !== "" && found.startsWith(wanted),
  "$=": (found, wanted) => wanted !== "" && found.endsWith(wanted),
  "*=": (found, wanted) => wanted !== "" && found.includes(wanted),
};

const attributeOf = (element, name) => element._attributesByNameMap.get(name)?.[0]._value;

/** @returns {any} the element around an element, or null */
function around(element) {
  const { parent } = element[TREE];
  return parent?.nodeType === ELEMENT ? parent : null;
}

/** @param {Test[]} tests @returns {Test} */
const any = (tests) => (tests.length === 1 ? tests[0] : (element) => tests.some((test) => test(element)));
/** @param {Test[]} tests @returns {Test} */
const all = (tests) => (tests.length === 1 ? tests[0] : (element) => tests.every((test) => test(element)));

/** @type {Record<string, (outer: Test, own: Test) => Test>} */
const COMBINATORS = {
  ">": (outer, own) => (element) => {
    const parent = own(element) && around(element);
    return Boolean(parent) && outer(parent);
  },
  " ": (outer, own) => (element) => {
    if (!own(element)) return false;
    for (let each = around(element); each; each = around(each)) if (outer(each)) return true;
    return false;
  },
};

/** @param {string} name @returns {Test} */
function hasClass(name) {
  const apart = new RegExp(`(?:^|\\s)${name}(?:\\s|$)`);
  return (element) => {
    const classes = attributeOf(element, "class");
    return classes !== undefined && (classes === name || (classes.includes(name) && apart.test(classes)));
  };
}

/** @param {string[]} part @returns {Test} */
function testOf([text, name, operator, ...values]) {
  if (text === "*") return () => true;
  if (text[0] === ".") return hasClass(text.slice(1));
  if (text[0] === "#") return testOf(["", "id", "=", text.slice(1)]);
  if (!name) return (element) => element._localName === text;
  if (!operator) return (element) => element._attributesByNameMap.has(name);
  const compare = OPERATORS[operator];
  const wanted = values.find((value) => value !== undefined);
  return (element) => {
    const found = attributeOf(element, name);
    return found !== undefined && compare(found, wanted);
  };
}

/** Reads selectors from the left to the right. */
class Reader {
  at = 0;

  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  /** @param {RegExp} pattern */
  take(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  /** @returns {Test | null} of what stands without a space between, null where it is not known here */
  compound() {
    const tests = [];
    for (let part; (part = this.take(PART));) {
      if (tests.length && /^[a-z*]/.test(part[0])) return null;
      const not = part.at(-1) && this.list(")");
      if (not === null) return null;
      tests.push(not ? (element) => !not(element) : testOf(part));
    }
    return tests.length ? all(tests) : null;
  }

  /** @param {"" | ")"} end what comes after the list @returns {Test | null} */
  list(end = "") {
    const found = [];
    for (let test = this.compound(); test;) {
      const [between, sign = " ", closing = ""] = this.take(BETWEEN) ?? [""];
      if (closing || !between)
        return closing === end && (end || this.at === this.text.length) ? any([...found, test]) : null;
      if (sign === ",") found.push(test);
      const own = this.compound();
      test = own && sign !== "," ? COMBINATORS[sign](test, own) : own;
    }
    return null;
  }
}

/** @typedef {{test: Test | null, id?: string}} Selector `id`: of the element that it begins with */

/** @type {Map<string, Selector>} */
const known = new Map();

/** @param {unknown} selector @returns {Selector} */
function compiled(selector) {
  const text = String(selector).trim();
  if (!known.has(text)) known.set(text, { test: new Reader(text).list(), id: /^#([\w-]+)[^,]*$/.exec(text)?.[1] });
  return known.get(text);
}

/** Visits the elements that a selector could mean: a document has a table of ids. @param {any} root @param {Selector} selector @param {Test} visit */
function visitMatches(root, { test, id }, visit) {
  const named = (id && root._ids?.[id]) ?? [];
  const check = (element) => test(element) && visit(element);
  if (id && root._ids && named.length < 2) named.forEach((element) => check(element) || walk(element, check));
  else walk(root, check);
}

/**
 * Goes through all that lies in an element until a visit says true. The place of a node in the tree is looked up once:
 * it costs more than all else here. @param {any} root @param {Test} visit
 */
function walk(root, visit) {
  for (let node = root[TREE].firstChild; node;) {
    let place = node[TREE];
    if (node.nodeType === ELEMENT && visit(node)) return;
    let next = place.firstChild;
    while (!next && node !== root) {
      next = place.nextSibling;
      if (!next) {
        node = place.parent;
        place = node[TREE];
      }
    }
    node = next;
  }
}

/** What a list of elements can do in a browser: no more. */
const LIST = {
  item(index) {
    return this[index] ?? null;
  },
};
for (const name of ["forEach", "keys", "values", "entries", Symbol.iterator]) LIST[name] = Array.prototype[name];

const METHODS = {
  querySelector(root, selector) {
    let found = null;
    visitMatches(root, selector, (element) => Boolean((found = element)));
    return wrapperForImpl(found);
  },
  querySelectorAll(root, selector) {
    const found = [];
    visitMatches(root, selector, (element) => void found.push(wrapperForImpl(element)));
    return Object.setPrototypeOf(found, LIST);
  },
  matches: (element, { test }) => test(element),
  closest(element, { test }) {
    for (let each = element; each; each = around(each)) if (test(each)) return wrapperForImpl(each);
    return null;
  },
};

/** Lets documents and elements of a window find elements this way; other selectors stay with jsdom. @param {any} window */
export function selectFast({ Document, Element }) {
  for (const { prototype } of [Document, Element])
    for (const [name, select] of Object.entries(METHODS)) {
      const own = prototype[name];
      if (!own) continue;
      prototype[name] = function (selector) {
        const read = compiled(selector);
        return read.test ? select(implForWrapper(this), read) : own.call(this, selector);
      };
    }
}
