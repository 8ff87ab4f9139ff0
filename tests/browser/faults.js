/** Runs axe on a page, but for the parts that it has checked before: the same markup in the same surroundings. */

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const CONTRAST = "color-contrast"; // half of the time of all rules
const COLORS = [CONTRAST, "link-in-text-block"];
// In the storage of the tab: they hold for its next document too.
const KNOWN = "looks that passed";
const CHECKED = "parts that passed under";
const LOOKS = [
  "color",
  "backgroundColor",
  "backgroundImage",
  "opacity",
  "fontSize",
  "fontWeight",
  "textShadow",
  "filter",
];
// Stands for no more than its parts, once its own tag is checked.
const PLAIN = ":is(body, div, main, header, aside, section, article, dialog, form, fieldset)";
const ROLES = ":not([role]), [role=group], [role=region], [role=tabpanel]";
// What no rule and no style reads: the answer that a part shows, what is edited (but the mask), queries of links, and
// where a presentation would begin.
const IDLE =
  / data-trace="[^"]*"| data-change="(?!mask")[^"]*"|(?<= href="[^"?]*)\?[^"#]*| style="--below: [\d.]+px;"/g;

/** @param {string} text */
function hash(text) {
  let number = 0;
  for (let at = 0; at < text.length; at++) number = (Math.imul(number, 31) + text.charCodeAt(at)) | 0;
  return `${number.toString(36)}.${text.length.toString(36)}`;
}

const tagOf = (element) => element.cloneNode(false).outerHTML.replace(IDLE, "") + element.matches(":checked");

/** Boxes without one of their own (`display: contents`) hold visible ones. */
const isVisible = (element) => element.checkVisibility() || getComputedStyle(element).display === "contents";

/** @param {Element} element @param {Map<Element, string>} digests of the element and of each inside it, filled in */
function digest(element, digests) {
  let text = tagOf(element);
  for (const node of element.childNodes)
    text += node.nodeType === Node.ELEMENT_NODE ? digest(node, digests) : node.data;
  digests.set(element, hash(text));
  return digests.get(element);
}

/**
 * Where to look: at the parts of the page that are new, or everywhere in a page that is opened for the first time; and
 * the keys by which all this is known. @param {Set<string>} known
 */
function unchecked(known) {
  const [digests, parts, keys] = [new Map(), [], []];
  digest(document.body, digests);
  const isKnown = (key) => keys.push(key) && known.has(key);
  const walk = (element, around, isInside) => {
    if (!isVisible(element) || isKnown(hash(around + digests.get(element)))) return;
    const place = hash(around + tagOf(element));
    const isDivided = isKnown(place) && element.matches(PLAIN) && element.matches(ROLES);
    if (!isDivided && !isInside) parts.push(element);
    for (const child of element.children) walk(child, place, isInside || !isDivided);
  };
  const isOpened = isKnown(hash(location.pathname + tagOf(document.documentElement)));
  walk(document.body, "", false);
  const isPart = isOpened && parts[0] !== document.body;
  return { where: isPart ? { include: parts } : document, isNew: !isOpened || parts.length > 0, keys };
}

/**
 * What decides how well the text of an element is read: classes, colors and letters, its own and of what is around it.
 * @typedef {{key: string, isSure: boolean}} Look isSure: what lies behind the text is around it too
 */

/** @param {Element} element @param {Map<Element, Look>} looks of elements so far @returns {Look} */
function lookOf(element, looks) {
  if (!element) return { key: "", isSure: true };
  if (!looks.has(element)) {
    const around = lookOf(element.parentElement, looks);
    const style = getComputedStyle(element);
    const isOpaque = style.backgroundImage === "none" && style.backgroundColor.startsWith("rgb(");
    const isInPlace = ["static", "relative"].includes(style.position);
    const own = [element.tagName, element.getAttribute("class"), ...LOOKS.map((name) => style[name])].join();
    looks.set(element, { key: hash(around.key + own), isSure: isOpaque || (isInPlace && around.isSure) });
  }
  return looks.get(element);
}

/** Has the rule about contrast look at texts that look as none that passed. @returns {() => void} the end of it */
function withNewLooksOnly() {
  const passed = new Set(JSON.parse(sessionStorage.getItem(KNOWN) ?? "[]"));
  const looks = new Map();
  const rule = axe._audit.rules.find(({ id }) => id === CONTRAST);
  const check = axe._audit.checks[CONTRAST];
  const { matches } = rule;
  const { evaluate } = check;
  rule.matches = function (element, ...rest) {
    const { key, isSure } = lookOf(element, looks);
    return !(isSure && passed.has(key)) && matches.call(this, element, ...rest);
  };
  const stored = new Set(passed); // those of this run are looked at all the same
  check.evaluate = function (element, ...rest) {
    const hasPassed = evaluate.call(this, element, ...rest);
    const { key, isSure } = lookOf(element, looks);
    if (hasPassed && isSure) stored.add(key);
    return hasPassed;
  };
  return () => {
    Object.assign(rule, { matches });
    Object.assign(check, { evaluate });
    sessionStorage.setItem(KNOWN, JSON.stringify([...stored]));
  };
}

/** Has axe's grid of boxes, two thirds of a run, leave out the elements in hidden ones. @returns {() => void} the end of it */
function withVisibleGrid() {
  document.createTreeWalker = (root, what) =>
    Document.prototype.createTreeWalker.call(document, root, what, (element) =>
      isVisible(element) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT,
    );
  return () => delete document.createTreeWalker;
}

const frame = () => new Promise(requestAnimationFrame);

const TAGGED = { runOnly: { type: "tag", values: TAGS } };
const RUNS = {
  all: TAGGED,
  colors: { runOnly: { type: "rule", values: COLORS } },
  "no colors": { ...TAGGED, rules: Object.fromEntries(COLORS.map((rule) => [rule, { enabled: false }])) },
};

/** @param {"all" | "colors" | "no colors"} rules @returns {Promise<string[]>} */
async function newFaults(rules) {
  await frame().then(frame);
  const place = `${CHECKED} ${rules} ${document.documentElement.dataset.theme}`;
  const known = new Set(sessionStorage.getItem(place)?.split(" "));
  const { where, isNew, keys } = unchecked(known);
  if (!isNew) return [];
  const ends = [withNewLooksOnly(), withVisibleGrid()];
  const { violations } = await axe.run(where, { ...RUNS[rules], preload: false, resultTypes: ["violations"] });
  for (const end of ends) end();
  if (!violations.length) sessionStorage.setItem(place, [...known.union(new Set(keys))].join(" "));
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`),
  );
}

window.newFaults = newFaults;
