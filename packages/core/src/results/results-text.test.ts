import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDecider } from "../decider.js";
import { OptioError } from "../errors.js";
import { choice } from "../questions/choice.js";
import { noul } from "../questions/noul.js";
import { score } from "../questions/score.js";
import { fake } from "../testing/fake.js";
import { failedRow, laneOf, type ResultRow, resultRow } from "./result-row.js";
import { resultsCsv, resultsJsonl } from "./results-text.js";

const policy = { accept: 0.8, review: 0.4 };
const questions = {
  team: choice("Which team?", ["billing", "technical"]),
  angry: noul("Angry?"),
  urgency: score("How urgent?", ["later", "today", "now"]),
};
const answers = { team: { billing: 0.9, technical: 0.1 }, angry: { true: 0.2, false: 0.8 }, urgency: [0.1, 0.2, 0.7] };

const decided = async (text: string, row = 1): Promise<ResultRow> => {
  await using decider = createDecider({ engine: fake({ answers }) });
  return resultRow(row, text, await decider.decide({ state: text, questions }));
};
const read = (csv: string) => parse(csv, { columns: true }) as Record<string, string>[];

describe("a row", () => {
  it("holds the answer, its probability and its confidence for each question", async () => {
    const { answers: found, receipt } = await decided("Text.");
    expect(found).toMatchObject([
      { id: "team", option: "billing", probability: expect.closeTo(0.9, 9) },
      { id: "angry", option: "false", probability: expect.closeTo(0.8, 9) },
      { id: "urgency", option: "2", probability: expect.closeTo(0.7, 9) },
    ]);
    expect(receipt).toMatchObject({ formula: "scaled-max" });
  });

  it("goes into the lane of its least sure answer", async () => {
    const row = await decided("Text.");
    const least = Math.min(...row.answers.map(({ confidence }) => confidence));
    expect(laneOf(row, { accept: least, review: 0 })).toBe("accept");
    expect(laneOf(row, { accept: 1, review: least })).toBe("review");
    expect(laneOf(row, { accept: 1, review: 1 })).toBe("escalate");
    expect(laneOf(failedRow(1, "", new OptioError("invalid_state", "Empty.")), policy)).toBe("failed");
  });
});

describe("the export", () => {
  it("has a column for all that is known, the model and the thresholds included", async () => {
    const row = { ...(await decided('My bill, "wrong"\nagain.')), labels: { team: "billing" } };
    const [line] = read(resultsCsv([row], policy));
    expect(line).toMatchObject({
      row: "1",
      text: 'My bill, "wrong"\nagain.',
      team: "billing",
      team_probability: "0.9",
      team_label: "billing",
      action: "review",
      accept: "0.8",
      model: "fake",
      confidence_formula: "scaled-max",
    });
  });

  it("keeps rows that failed, with the code", async () => {
    const rows = [await decided("One."), failedRow(2, "", new OptioError("invalid_state", "The state is empty."))];
    expect(read(resultsCsv(rows, policy))[1]).toMatchObject({
      row: "2",
      error: "invalid_state",
      team: "",
      action: "failed",
    });
    expect(JSON.parse(resultsJsonl(rows, policy).split("\n")[1] ?? "")).toMatchObject({ action: "failed", policy });
  });

  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx"])("makes no formula of the text %j", async (text) => {
    const [line] = read(resultsCsv([await decided(text)], policy));
    expect(line?.["text"]).toBe(`'${text}`);
  });

  it("reads back as it was, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        const row: ResultRow = { row: 1, text, answers: [] };
        const [line] = read(resultsCsv([row], policy));
        expect(line?.["text"]).toBe(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
      }),
    );
  });
});
