/** As much of a document as scripts need to make elements of: no layout, no parsing, no bubbling. */

class FakeNode {
  /** @type {FakeElement | null} */
  parent = null;
}

class FakeText extends FakeNode {
  constructor(data = "") {
    super();
    this.textContent = data;
  }
}

class FakeElement extends FakeNode {
  constructor(name) {
    super();
    this.localName = name;
    this.attributes = new Map();
    this.childNodes = [];
    this.listeners = new Map();
    this.focused = 0;
    this.style = {};
    this.dataset = {};
  }

  classList = {
    add: (word) => this.classList.toggle(word, true),
    toggle: (word, on) => {
      const words = (this.getAttribute("class") ?? "").split(" ").filter((each) => each && each !== word);
      this.setAttribute("class", [...words, ...(on ? [word] : [])].join(" "));
    },
  };

  get children() {
    return this.childNodes.filter((node) => node instanceof FakeElement);
  }

  get textContent() {
    return this.childNodes.map((node) => node.textContent).join("");
  }

  set textContent(text) {
    this.replaceChildren(...(text ? [text] : []));
  }

  setAttribute = (name, value) => this.attributes.set(name, value);
  getAttribute = (name) => this.attributes.get(name) ?? null;
  hasAttribute = (name) => this.attributes.has(name);
  removeAttribute = (name) => this.attributes.delete(name);
  toggleAttribute = (name, on) => (on ? this.attributes.set(name, "") : this.attributes.delete(name));

  append(...nodes) {
    for (const each of nodes) {
      const node = each instanceof FakeNode ? each : new FakeText(String(each));
      node.parent = this;
      this.childNodes.push(node);
    }
  }

  replaceChildren(...nodes) {
    this.childNodes = [];
    this.append(...nodes);
  }

  contains(node) {
    for (let each = node; each; each = each.parent) if (each === this) return true;
    return false;
  }

  /** As markup, which is compared at a glance. */
  get outerHTML() {
    const attributes = [...this.attributes].map(([name, value]) => ` ${name}="${value}"`).join("");
    const inside = this.childNodes.map((node) => node.outerHTML ?? node.textContent).join("");
    return `<${this.localName}${attributes}>${inside}</${this.localName}>`;
  }

  /** Every element inside, in the order of the document. */
  all() {
    return this.children.flatMap((child) => [child, ...child.all()]);
  }

  /** By name, or by one class or attribute: no more of selectors is needed. */
  querySelectorAll(selector) {
    const [, name, word, attribute] = /^(\w*)(?:\.([\w-]+))?(?:\[([\w-]+)\])?$/.exec(selector);
    return this.all().filter(
      (each) =>
        (!name || each.localName === name) &&
        (!word || (each.getAttribute("class") ?? "").split(" ").includes(word)) &&
        (!attribute || each.hasAttribute(attribute)),
    );
  }

  querySelector(selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }

  addEventListener(name, listener) {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
  }

  /** Tells the listeners of this element alone. */
  dispatchEvent(event) {
    for (const listener of this.listeners.get(event.type) ?? []) listener(event);
  }

  focus() {
    this.focused += 1;
  }
}

class FakeCell extends FakeElement {}

class FakeSelect extends FakeElement {
  value = "";

  get options() {
    return this.children.map((option) => ({ text: option.textContent, value: option.getAttribute("value") }));
  }
}

/** A canvas that knows what was painted into it last. */
class FakeCanvas extends FakeElement {
  width = 300;
  height = 150;
  painted = null;

  getContext() {
    return {
      font: "",
      imageSmoothingEnabled: true,
      putImageData: (image) => (this.painted = image),
      drawImage: (image, ...place) => (this.painted = { image: image.painted, place }),
      transferFromImageBitmap: (image) => (this.painted = image),
      measureText: (text) => ({ width: 6.5 * [...text].length }),
    };
  }
}

class FakeImageData {
  constructor(width, height) {
    Object.assign(this, { width, height, data: new Uint8ClampedArray(4 * width * height) });
  }
}

const OWN = { select: FakeSelect, canvas: FakeCanvas, td: FakeCell, th: FakeCell };

/** Puts a new, empty document in the place of the browser's. */
export function newDocument() {
  const document = new FakeElement("#document");
  const createElement = (name) => new (OWN[name] ?? FakeElement)(name);
  const documentElement = Object.assign(createElement("html"), { lang: "en", dataset: {} });
  const createElementNS = (_, name) => createElement(name);
  Object.assign(document, { createElement, createElementNS, documentElement, getElementById: () => null });
  Object.assign(globalThis, { document, Node: FakeNode, Text: FakeText });
  Object.assign(globalThis, { HTMLElement: FakeElement, HTMLTableCellElement: FakeCell });
  globalThis.ImageData = FakeImageData;
  globalThis.CustomEvent ??= class extends Event {
    constructor(type, { detail }) {
      super(type);
      this.detail = detail;
    }
  };
  globalThis.OffscreenCanvas = class extends FakeCanvas {
    constructor(width, height) {
      super("canvas");
      Object.assign(this, { width, height });
    }

    /** Gives away what was painted. */
    transferToImageBitmap() {
      const { painted } = this;
      this.painted = null;
      return painted;
    }
  };
  return document;
}
