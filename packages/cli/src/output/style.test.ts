import { describe, expect, it } from "vitest";
import { allowsEscapes, styleFor } from "./style.js";

describe("allowsEscapes", () => {
  it.each([
    ["a terminal", { isTerminal: true }, {}, true],
    ["a pipe", { isTerminal: false }, { FORCE_COLOR: "1", COLORTERM: "truecolor" }, false],
    ["NO_COLOR", { isTerminal: true }, { NO_COLOR: "1" }, false],
    ["an empty NO_COLOR", { isTerminal: true }, { NO_COLOR: "" }, true],
    ["a dumb terminal", { isTerminal: true }, { TERM: "dumb" }, false],
  ])("on %s", (_, screen, env, allowed) => {
    expect(allowsEscapes(screen, env)).toBe(allowed);
    expect(styleFor(screen, env).bold("x").includes("\u001b")).toBe(allowed);
  });
});

describe("styleFor", () => {
  it.each([
    [{}, true],
    [{ LANG: "C.UTF-8" }, true],
    [{ LANG: "C" }, false],
    [{ LC_ALL: "POSIX", LANG: "en_US.UTF-8" }, false],
  ])("with %j may show blocks: %s", (env, blocks) => {
    expect(styleFor({ isTerminal: true }, env).blocks).toBe(blocks);
  });

  it.each([
    [undefined, 80],
    [10, 40],
    [72, 72],
    [400, 100],
  ])("of a screen of %s columns fills %d", (columns, filled) => {
    expect(styleFor({ isTerminal: true, ...(columns === undefined ? {} : { columns }) }, {}).columns).toBe(filled);
  });
});
