/**
 * Checks the types of the tests: names, imports and numbers of arguments. Tests give functions as much of an object as
 * they read, so that what is missing from an object is no error here: `tsc` itself has no option for this.
 *
 * Run by `make lint-types`.
 */

import ts from "typescript";

const PARTIAL = [2322, 2345, 2353, 2559, 2739, 2740, 2741];
const OPTIONS = { noImplicitAny: false, strictNullChecks: false, noImplicitThis: false, types: ["node"] };
// A file whose imports have not changed is not checked again.
const KEPT = { incremental: true, tsBuildInfoFile: "node_modules/.cache/tsc/tests.tsbuildinfo" };

const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ".");
const files = ts.sys.readDirectory("tests", [".js"]).filter((name) => /^tests\/(js|pages)\//.test(name));
const shared = ts.sys.readDirectory("types", [".d.ts"]);
const program = ts.createIncrementalProgram({
  rootNames: [...files, ...shared],
  options: { ...options, ...OPTIONS, ...KEPT },
});
const ours = ({ code, file }) => !PARTIAL.includes(code) && files.includes(file?.fileName);
const found = [
  ...program.getConfigFileParsingDiagnostics(),
  ...program.getOptionsDiagnostics(),
  ...program.getSyntacticDiagnostics(),
  ...program.getGlobalDiagnostics(),
  ...program.getSemanticDiagnostics(),
].filter(ours);
program.emit(); // what was found, for the next time
const host = { getCanonicalFileName: String, getCurrentDirectory: () => ".", getNewLine: () => "\n" };
process.stdout.write(ts.formatDiagnostics(found, host));
process.exitCode = found.length ? 1 : 0;
