import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openResultsFile } from "./results-file.js";
import type { RowResult } from "./row-result.js";

const settings = { model: "a".repeat(64), readout: "letter, one order, no prior" };
const row = (line: number, correct: boolean): RowResult => ({
  line,
  id: `line-${line}`,
  family: "all",
  type: "choice",
  expected: "x",
  answer: correct ? "x" : "y",
  correct,
  distribution: [
    { option: "x", probability: correct ? 0.9 : 0.1 },
    { option: "y", probability: correct ? 0.1 : 0.9 },
  ],
  confidence: 0.8,
  ms: 12,
  inputTokens: 40,
  reusedTokens: 0,
});

describe("openResultsFile", () => {
  let folder = "";
  let path = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "optio-results-"));
    path = join(folder, "results.jsonl");
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function write(...rows: RowResult[]): Promise<void> {
    const file = await openResultsFile(path, settings, true);
    for (const each of rows) await file.append(each);
    await file.close();
  }

  it("gives back what an earlier run finished, the last row of each line", async () => {
    await write(row(1, true), row(2, false));
    await write(row(2, true));
    const file = await openResultsFile(path, settings, true);
    expect([...file.finished]).toEqual([
      [1, row(1, true)],
      [2, row(2, true)],
    ]);
    await file.close();
    expect((await readFile(path, "utf8")).trimEnd().split("\n")).toHaveLength(4);
  });

  it("cuts off a half-written last line", async () => {
    await write(row(1, true));
    await writeFile(path, `${await readFile(path, "utf8")}{"line":2,"id":"li`);
    await write(row(2, true));
    const file = await openResultsFile(path, settings, true);
    expect([...file.finished.keys()]).toEqual([1, 2]);
    await file.close();
  });

  it("refuses other settings by naming them, and leaves the file as it is", async () => {
    await write(row(1, true));
    const before = await readFile(path, "utf8");
    const other = { ...settings, model: "b".repeat(64) };
    await expect(openResultsFile(path, other, true)).rejects.toMatchObject({
      code: "invalid_setting",
      message: `${path} holds rows of another run: model was aaaaaaaaaaaa, now bbbbbbbbbbbb.`,
      details: { changed: "model" },
    });
    expect(await readFile(path, "utf8")).toBe(before);
  });

  it("replaces the file when it is not to go on", async () => {
    await write(row(1, true));
    const file = await openResultsFile(path, { ...settings, model: "b" }, false);
    expect(file.finished.size).toBe(0);
    await file.close();
    expect((await readFile(path, "utf8")).split("\n")).toHaveLength(2);
  });

  it("refuses a file that holds something else", async () => {
    await writeFile(path, "text,label\na,b\n");
    await expect(openResultsFile(path, settings, true)).rejects.toMatchObject({
      message: expect.stringContaining("line 1 of"),
    });
    expect(await readFile(path, "utf8")).toBe("text,label\na,b\n");
  });

  it("says when the place cannot be written", async () => {
    await expect(openResultsFile(join(folder, "missing", "r.jsonl"), settings, true)).rejects.toMatchObject({
      code: "invalid_setting",
      message: expect.stringContaining("cannot be written"),
    });
  });
});
