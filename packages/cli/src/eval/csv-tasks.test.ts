import { OptioError } from "@optio/core";
import { describe, expect, it } from "vitest";
import { parseCsvTasks } from "./csv-tasks.js";
import { isBadRow } from "./task.js";

const settings = { textColumn: "text", labelColumn: "label", instructions: "What is it about?" };

function caught(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("parseCsvTasks", () => {
  it("takes the labels in order of first appearance, with underscores as spaces", () => {
    const rows = parseCsvTasks("text,label\na,card_lost\nb,exchange__rate\nc,card_lost\n", settings);
    const [first, second] = rows.flatMap((row) => (isBadRow(row) ? [] : [row]));
    expect(rows).toHaveLength(3);
    expect(first?.question.options.map(({ key }) => key)).toEqual(["card lost", "exchange rate"]);
    expect(first).toMatchObject({ line: 2, id: "line-2", state: "a", expected: "card lost", family: "all" });
    expect(second?.labelOf?.("exchange rate")).toBe("exchange__rate");
  });

  it("takes the order of --options, and refuses labels outside it row by row", () => {
    const rows = parseCsvTasks("text,label\na,x\nb,z\n", { ...settings, options: ["y", "x"] });
    expect(rows[0]).toMatchObject({ expected: "x" });
    expect(rows[1]).toMatchObject({ line: 3, error: { message: 'The label "z" is none of the options.' } });
  });

  it.each([
    ["commas", "text,label\n"],
    ["semicolons", "text;label\n"],
    ["tabs", "text\tlabel\n"],
  ])("reads files with %s", (_, header) => {
    const delimiter = header[4];
    const rows = parseCsvTasks(
      `\uFEFF${header}"one, two; ""three""\nfour"${delimiter}x\nfive${delimiter}y\n`,
      settings,
    );
    expect(rows).toMatchObject([
      { state: 'one, two; "three"\nfour', expected: "x" },
      { state: "five", expected: "y" },
    ]);
  });

  it("goes on after rows with missing cells, empty texts and stray quotes", () => {
    const rows = parseCsvTasks('label,text\nx,"ok"\nx\n,no label\ny,\ny,5" pipe\n', settings);
    expect(rows.map((row) => (isBadRow(row) ? row.error.message : row.state))).toEqual([
      "ok",
      "The row has 1 cells, the header 2.",
      'The column "label" is empty.',
      'The column "text" is empty.',
      '5" pipe',
    ]);
  });

  it("counts by the values of a column when asked", () => {
    const rows = parseCsvTasks("text,label,lang\na,x,de\nb,y,en\n", { ...settings, familyColumn: "lang" });
    expect(rows).toMatchObject([{ family: "de" }, { family: "en" }]);
  });

  it.each([
    [
      "a column that is not there",
      "body,label\na,x\n",
      "invalid_setting",
      'no column "text"; its columns are body, label',
    ],
    ["nothing at all", "", "invalid_setting", "no header and no rows"],
    ["one label only", "text,label\na,x\nb,x\n", "invalid_options", "1 option"],
    ["labels that read the same", "text,label\na,x_y\nb,x y\n", "invalid_options", '"x_y" and "x y" both read "x y"'],
  ])("refuses %s", (_, content, code, message) => {
    const error = caught(() => parseCsvTasks(content, settings));
    expect(OptioError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
  });
});
