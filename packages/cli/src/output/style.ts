import pc from "picocolors";

export type Paint = (text: string) => string;

/** How human output is drawn on one terminal. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly red: Paint;
  /** False on a terminal that cannot show block characters. */
  readonly blocks: boolean;
  /** Columns to fill, 40 to 100. */
  readonly columns: number;
}

export interface Screen {
  readonly isTerminal: boolean;
  /** Absent when unknown, as in a pipe. */
  readonly columns?: number;
}

/** Whether escape sequences may be written: only to a terminal, and not when `NO_COLOR` or a dumb terminal says no. */
export function allowsEscapes(screen: Screen, env: NodeJS.ProcessEnv): boolean {
  return screen.isTerminal && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}

export function styleFor(screen: Screen, env: NodeJS.ProcessEnv): Style {
  const { bold, dim, green, yellow, red } = pc.createColors(allowsEscapes(screen, env));
  const columns = Math.min(100, Math.max(40, screen.columns ?? 80));
  return { bold, dim, green, yellow, red, blocks: showsBlocks(env), columns };
}

function showsBlocks(env: NodeJS.ProcessEnv): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  // No locale at all is usual in containers, whose terminals still show UTF-8; `C` and `POSIX` ask for ASCII.
  return env["TERM"] !== "dumb" && env["TERM"] !== "linux" && locale !== "C" && locale !== "POSIX";
}
