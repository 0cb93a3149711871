import { OptioError } from "@optio/core";
import { describe, expect, it } from "vitest";
import { duration } from "./duration-flag.js";
import { engineRequest } from "./engine-request.js";
import { parseGpuLayers } from "./gpu-layers-flag.js";
import { share, wholeNumber } from "./number-flag.js";
import { parsePolicy } from "./policy-flag.js";

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (OptioError.isInstance(error, "invalid_setting")) return error.message;
  }
  return "no error";
}

describe("duration", () => {
  it.each([
    ["500ms", 500],
    ["30s", 30_000],
    ["30", 30_000],
    ["1.5 s", 1500],
    ["2min", 120_000],
    ["2m", 120_000],
    ["1h", 3_600_000],
  ])("reads %s", (text, milliseconds) => {
    expect(duration("--timeout")(text)).toBe(milliseconds);
  });

  it.each(["", "0", "-1s", "soon", "5 days", "1e3"])("refuses %j", (text) => {
    expect(messageOf(() => duration("--timeout")(text))).toBe(`--timeout takes a time above 0, not "${text}".`);
  });
});

describe("wholeNumber and share", () => {
  it("read what is in range", () => {
    expect(wholeNumber("--threads", 1, 64)("64")).toBe(64);
    expect(share("--fail-under")("0.6")).toBe(0.6);
    expect(share("--fail-under")("60 %")).toBe(0.6);
    expect(share("--fail-under")("1")).toBe(1);
  });

  it.each(["0", "65", "1.5", "x", "", "0x10"])("refuse %j threads", (text) => {
    expect(messageOf(() => wholeNumber("--threads", 1, 64)(text))).toContain("from 1 to 64");
  });

  it.each(["60", "-0.1", "101%", "", "half"])("refuse the share %j", (text) => {
    expect(messageOf(() => share("--fail-under")(text))).toContain("from 0 to 1");
  });
});

describe("parsePolicy", () => {
  it("reads both bounds in any order", () => {
    expect(parsePolicy("accept=0.9,review=0.6")).toEqual({ accept: 0.9, review: 0.6 });
    expect(parsePolicy(" review=60% , accept=.9")).toEqual({ accept: 0.9, review: 0.6 });
  });

  it.each([
    ["accept=0.9", "review is missing"],
    ["accept=2,review=0.5", 'accept takes a number from 0 to 1, not "2"'],
    ["accept=0.5,review=0.9", "review (0.9) is above accept (0.5)"],
    ["accept=0.9,accept=0.8", "accept is given twice"],
    ["deny=0.3", '"deny" is not accept or review'],
    ["accept=0.9=1,review=0", 'accept takes a number from 0 to 1, not "0.9"'],
  ])("refuses %s", (text, message) => {
    expect(messageOf(() => parsePolicy(text))).toContain(message);
  });
});

describe("parseGpuLayers", () => {
  it("reads numbers, all and auto", () => {
    expect(["0", "24", " all ", "auto"].map(parseGpuLayers)).toEqual([0, 24, "all", "auto"]);
  });

  it.each(["-1", "1.5", "half", "", "100000"])("refuses %j", (text) => {
    expect(messageOf(() => parseGpuLayers(text))).toContain("--gpu-layers");
  });

  it("belongs to the native engine", async () => {
    const flags = { engine: "wasm", gpuLayers: 1, reuse: true } as const;
    await expect(engineRequest(flags)).rejects.toMatchObject({ code: "invalid_setting" });
    await expect(engineRequest({ ...flags, engine: "native" })).resolves.toMatchObject({ gpuLayers: 1 });
  });
});

describe("flags of engines elsewhere", () => {
  it("make what the engines take", async () => {
    await expect(engineRequest({ engine: "remote", url: "http://h", model: "m", reuse: true })).resolves.toEqual({
      kind: "remote",
      url: "http://h",
      model: "m",
    });
    const aws = { engine: "sagemaker", endpoint: "e", region: "r", component: "c", coldStart: 5, reuse: true } as const;
    await expect(engineRequest(aws)).resolves.toEqual({
      kind: "sagemaker",
      endpoint: "e",
      codec: "systemone",
      region: "r",
      inferenceComponent: "c",
      coldStartMs: 5,
    });
  });

  it.each([
    [{ engine: "remote" }, "--url is missing"],
    [{ engine: "sagemaker" }, "--endpoint is missing"],
    [{ engine: "wasm", url: "http://h" }, "--url does not go with the wasm engine"],
    [{ engine: "remote", url: "http://h", threads: 2 }, "--threads does not go with the remote engine"],
    [{ engine: "remote", url: "http://h", codec: "chat" }, "--codec does not go with the remote engine"],
    [{ engine: "sagemaker", endpoint: "e", gpuLayers: 2 }, "--gpu-layers does not go"],
  ] as const)("are checked: %j", async (flags, message) => {
    await expect(engineRequest({ reuse: true, ...flags })).rejects.toThrow(message);
  });
});
