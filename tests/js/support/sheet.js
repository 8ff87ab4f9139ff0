/** A canvas that notes what is drawn onto it. */

/** @returns a context, and what was drawn: name, arguments, and the colour of then */
export function sheetOfPaper() {
  const drawn = [];
  const note =
    (name) =>
    (...all) =>
      drawn.push({ name, all, color: context.fillStyle, stroke: context.strokeStyle, font: context.font });
  const context = {
    measureText: (text) => ({ width: 6 * [...text].length }),
    ...Object.fromEntries(
      ["fillRect", "strokeRect", "drawImage", "fillText", "save", "restore", "translate", "rotate"].map((name) => [
        name,
        note(name),
      ]),
    ),
  };
  return { context, drawn, of: (name) => drawn.filter((each) => each.name === name).map(({ all }) => all) };
}
