import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import { filesUnder } from "../setup/fingerprint.mjs";
import { root } from "../setup/places.mjs";

// Every code of docs/errors.md is expected by a test, with its hint: node scripts/check/error-tests.mjs [--list]
//
// An expectation is `expect(…).toMatchObject({ code: "…", hint })` or the like, where the hint cannot be empty. It does not
// count in a test that makes the error by itself, by `new OptioError` or by telling the fake engine to fail.
const matchers = new Set(["toMatchObject", "toThrow", "toThrowError", "toEqual", "toStrictEqual"]);
const toldToFail = new Set(["failWith", "failStartWith"]);

const documented = [...readFileSync(join(root, "docs/errors.md"), "utf8").matchAll(/^\| `(\w+)` \|/gm)].map(
  ([, code]) => code,
);
if (documented.length === 0) throw new Error("docs/errors.md lists no code");

const places = new Map(documented.map((code) => [code, []]));
for (const file of filesUnder("packages", (path) => /\.test\.ts$/.test(path))) {
  for (const { code, line } of expectationsIn(file)) places.get(code)?.push(`${relative(root, file)}:${line}`);
}

if (process.argv.includes("--list")) {
  for (const [code, found] of places) process.stdout.write(`${code}: ${found.join(" ") || "no test"}\n`);
}
const missing = documented.filter((code) => places.get(code).length === 0);
if (missing.length > 0) {
  process.stderr.write(`No test provokes and expects, with code and hint: ${missing.join(", ")}\n`);
  process.exitCode = 1;
}

/** The codes that a test file expects, with the lines where it does. */
function expectationsIn(file) {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node) => {
    if (ts.isObjectLiteralExpression(node)) {
      const code = propertyOf(node, "code");
      const hint = propertyOf(node, "hint");
      if (code !== undefined && ts.isStringLiteral(code) && hint !== undefined && !canBeEmpty(hint, source)) {
        const test = enclosingTest(node);
        if (test !== undefined && isExpected(node, test) && !makes(test, code.text)) {
          found.push({ code: code.text, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1 });
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** What a property is set to; for a shorthand its own name. */
function propertyOf(object, name) {
  const property = object.properties.find((candidate) => candidate.name?.getText() === name);
  if (property === undefined) return undefined;
  return ts.isPropertyAssignment(property) ? property.initializer : property.name;
}

/** Whether an empty text would match: of what is not understood, yes. */
function canBeEmpty(value, source) {
  if (ts.isStringLiteral(value)) return value.text === "";
  if (ts.isIdentifier(value)) {
    const declared = source.statements
      .filter(ts.isVariableStatement)
      .flatMap(({ declarationList }) => declarationList.declarations)
      .find(({ name }) => name.getText() === value.text)?.initializer;
    return declared === undefined || ts.isIdentifier(declared) || canBeEmpty(declared, source);
  }
  if (!ts.isCallExpression(value)) return true;
  const [argument] = value.arguments;
  if (argument === undefined) return true;
  switch (value.expression.getText()) {
    case "expect.stringMatching": {
      const [, pattern, flags] = /^\/(.*)\/(\w*)$/s.exec(argument.getText()) ?? [];
      return pattern === undefined || new RegExp(pattern, flags).test("");
    }
    case "expect.stringContaining":
      return !ts.isStringLiteral(argument) || argument.text === "";
    default:
      return true;
  }
}

/** The `it` or `test` around a node, `it.each(…)(…)` included. */
function enclosingTest(node) {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (ts.isCallExpression(at) && at.arguments.length > 1 && /^(it|test)\b(?!\.(skip|todo))/.test(at.getText()))
      return at;
  }
  return undefined;
}

/** Whether a node is part of what `expect(…)` is matched against. */
function isExpected(node, within) {
  for (let at = node; at !== within; at = at.parent) {
    const call = at.parent;
    if (!ts.isCallExpression(call) || !call.arguments.includes(at)) continue;
    if (!ts.isPropertyAccessExpression(call.expression) || !matchers.has(call.expression.name.text)) continue;
    const chain = [];
    let start = call.expression.expression;
    while (ts.isPropertyAccessExpression(start)) {
      chain.push(start.name.text);
      start = start.expression;
    }
    const isExpect = ts.isCallExpression(start) && start.expression.getText() === "expect";
    if (isExpect && !chain.includes("not")) return true;
  }
  return false;
}

/** Whether a test makes an error of that code by itself. */
function makes(test, code) {
  const mentions = (node) =>
    (ts.isStringLiteral(node) && node.text === code) || (ts.forEachChild(node, mentions) ?? false);
  const visit = (node) => {
    const makesIt =
      (ts.isNewExpression(node) && node.expression.getText() === "OptioError") ||
      (ts.isPropertyAssignment(node) && toldToFail.has(node.name.getText()));
    return (makesIt && mentions(node)) || (ts.forEachChild(node, visit) ?? false);
  };
  return visit(test);
}
