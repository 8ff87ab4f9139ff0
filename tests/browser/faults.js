/** Runs axe on a page, but for the parts that it has checked before: the same markup in the same surroundings. */

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const COLORS = ["color-contrast", "link-in-text-block"];
// Stands for no more than its parts, once its own tag is checked.
const PLAIN = ":is(body, div, main, header, aside, section, article, dialog, form, fieldset)";
const ROLES = ":not([role]), [role=group], [role=region], [role=tabpanel]";
const checked = {};

/** @param {string} text */
function hash(text) {
  let number = 0;
  for (let at = 0; at < text.length; at++) number = (Math.imul(number, 31) + text.charCodeAt(at)) | 0;
  return `${number}.${text.length}`;
}

const tagOf = (element) => element.cloneNode(false).outerHTML + element.matches(":checked");

/** @param {Element} element @param {Map<Element, string>} digests of the element and of each inside it, filled in */
function digest(element, digests) {
  let text = tagOf(element);
  for (const node of element.childNodes)
    text += node.nodeType === Node.ELEMENT_NODE ? digest(node, digests) : node.data;
  digests.set(element, hash(text));
  return digests.get(element);
}

/** The parts of the page that are new, and the keys by which they are known. @param {Set<string>} known */
function unchecked(known) {
  const [digests, parts, keys] = [new Map(), [], []];
  digest(document.body, digests);
  const isKnown = (key) => keys.push(key) && known.has(key);
  const walk = (element, around, isInside) => {
    if (!element.checkVisibility() || isKnown(hash(around + digests.get(element)))) return;
    const place = hash(around + tagOf(element));
    const isDivided = isKnown(place) && element.matches(PLAIN) && element.matches(ROLES);
    if (!isDivided && !isInside) parts.push(element);
    for (const child of element.children) walk(child, place, isInside || !isDivided);
  };
  walk(document.body, "", false);
  return { parts, keys };
}

const frame = () => new Promise(requestAnimationFrame);

/** @param {boolean} isColored only the rules about colors @returns {Promise<string[]>} */
async function newFaults(isColored) {
  await frame().then(frame);
  const known = (checked[document.documentElement.dataset.theme] ??= new Set());
  const { parts, keys } = unchecked(known);
  if (!parts.length) return [];
  const where = parts[0] === document.body ? document : { include: parts };
  const runOnly = isColored ? { type: "rule", values: COLORS } : { type: "tag", values: TAGS };
  const { violations } = await axe.run(where, { runOnly, preload: false, resultTypes: ["violations"] });
  if (!violations.length) for (const key of keys) known.add(key);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`),
  );
}

window.newFaults = newFaults;
