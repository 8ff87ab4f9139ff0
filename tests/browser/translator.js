// What a browser's translator does to a page: it puts each text into two <font>, and takes another language.
// It leaves what has translate="no".
const TAKEN = "script, style, textarea, option, svg, font, [translate=no]";

function translate(text) {
  const parent = text.parentElement;
  if (!parent || !text.data.trim() || parent.closest(TAKEN)) return;
  const [outer, inner] = [document.createElement("font"), document.createElement("font")];
  inner.textContent = `«${text.data}»`;
  outer.append(inner);
  text.replaceWith(outer);
}

function translateAll(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts = root instanceof Text ? [root] : [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  texts.forEach(translate);
}

window.startTranslator = () => {
  document.documentElement.lang = "de";
  translateAll(document.body);
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes)
      if (type === "characterData") translate(target);
      else addedNodes.forEach(translateAll);
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
};
