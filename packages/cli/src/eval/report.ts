import { basename } from "node:path";
import type { Machine } from "../context.js";
import { printable } from "../output/printable.js";
import type { Style } from "../output/style.js";
import type { Session } from "../session.js";
import type { Run } from "./ask-rows.js";
import { isAnswered } from "./row-result.js";
import { readoutText } from "./run-settings.js";
import type { Summary } from "./summary.js";
import { renderSummary } from "./summary-view.js";

export interface Gate {
  readonly failUnder: number;
  /** The lower end of the interval, which must reach `failUnder`. */
  readonly low: number;
  readonly passed: boolean;
}

/** A claim must hold at the bad end of its interval; nothing asked proves nothing. */
export function gateOf(summary: Summary, failUnder: number): Gate {
  const low = summary.interval?.low ?? 0;
  return { failUnder, low, passed: summary.n > 0 && low >= failUnder };
}

export interface Report {
  readonly path: string;
  readonly dataSha256: string;
  readonly session: Session;
  readonly run: Run;
  readonly summary: Summary;
  readonly gate: Gate | undefined;
  readonly out: string | undefined;
}

/** What `optio eval --json` prints. */
export function reportJson({ path, dataSha256, session, run, summary, gate, out }: Report, machine: Machine): object {
  const { kind, backend, threads, contextTokens, model, profile } = session.engine;
  return {
    data: { file: basename(path), sha256: dataSha256 },
    model,
    readout: session.readout ?? null,
    profile: profile ?? null,
    engine: { kind, backend, threads: threads ?? null, contextTokens: contextTokens ?? null },
    machine,
    rows: run.total,
    asked: run.results.length,
    resumed: run.resumed,
    interrupted: run.interrupted,
    ...summary,
    gate: gate ?? null,
    out: out ?? null,
  };
}

/** What `optio eval` prints for people. */
export function renderReport({ path, session, summary, gate }: Report, style: Style): string[] {
  const { engine, readout } = session;
  const threads = engine.threads === undefined ? "" : `, ${engine.threads} thread${engine.threads === 1 ? "" : "s"}`;
  const head = `${basename(path)}: ${engine.model.id}, ${readoutText(readout)}, ${engine.kind} ${engine.backend}${threads}`;
  const lines = [printable(head), "", ...renderSummary(summary, style)];
  if (gate !== undefined) {
    const words = gate.passed ? style.green("passed") : style.red("not reached");
    lines.push(`gate          ${words}: the lower end is ${tenths(gate.low)}, ${tenths(gate.failUnder)} is asked for`);
  }
  return lines;
}

/** Failed rows that are named; the rest are in `--out`. */
const namedFailures = 3;

/** What else there is to say, for stderr. */
export function reportNotes({ run, out }: Report): string[] {
  const failures = run.results.flatMap((row) =>
    isAnswered(row) ? [] : [`line ${row.line}: ${printable(row.error.message)}`],
  );
  const lines = failures.slice(0, namedFailures);
  if (failures.length > lines.length) lines.push(`${failures.length - lines.length} more rows failed`);
  if (run.resumed > 0) lines.unshift(`${run.resumed} rows were taken from the earlier run`);
  if (run.interrupted) {
    const where = out === undefined ? "" : "; the same command goes on from here";
    lines.push(`interrupted after ${run.results.length} of ${run.total} rows${where}`);
  }
  return lines;
}

/** Fine enough to see on which side of the bound a result is. */
function tenths(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
