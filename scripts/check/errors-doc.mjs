import { readFileSync, writeFileSync } from "node:fs";

// docs/errors.md lists every code with its hint: node scripts/check/errors-doc.mjs [--write]
const { errorHints } = await import("../../packages/core/dist/errors.js");
const target = new URL("../../docs/errors.md", import.meta.url);
const rows = Object.entries(errorHints).map(([code, hint]) => `| \`${code}\` | ${hint.replaceAll("|", "\\|")} |`);
const text = `# Errors

Every failure is an \`OptioError\` with one of these codes, a message that says what was wrong, and a hint. \`OptioError.isInstance(error, "timeout")\` tells
them apart across copies of the library. An aborted call is none of them: it rejects with the reason of its own signal.

| code | hint |
| --- | --- |
${rows.join("\n")}
`;
if (process.argv.includes("--write")) {
  writeFileSync(target, text);
} else if (readFileSync(target, "utf8") !== text) {
  process.stderr.write("docs/errors.md is not current: node scripts/check/errors-doc.mjs --write\n");
  process.exitCode = 1;
}
