import { appendFileSync } from "node:fs";

/** Writes a measurement as a row of `docs/reliability.md`'s tables into the file that OPTIO_REPORT names, or to the terminal. */
export function report(what: string, facts: Readonly<Record<string, unknown>>): void {
  const line = `| ${what} | ${Object.entries(facts)
    .map(([name, value]) => `${name}: ${typeof value === "number" ? value.toLocaleString("en") : value}`)
    .join("; ")} |\n`;
  const file = process.env["OPTIO_REPORT"];
  if (file === undefined || file === "") process.stdout.write(line);
  else appendFileSync(file, line);
}
