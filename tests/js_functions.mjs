/** Prints [file, name, lines] of every function of the scripts named on the command line, as JSON. */

import { readFileSync } from "node:fs";
import ts from "typescript";

const found = [];
for (const file of process.argv.slice(2)) {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const line = (at) => source.getLineAndCharacterOfPosition(at).line;
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body) {
      const named = node.name ?? node.parent.name;
      found.push([file, named?.getText(source) ?? "", line(node.end) - line(node.getStart(source)) + 1]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}
console.log(JSON.stringify(found));
