import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byteSize } from "./byte-size.js";
import { addedModelId, modelFileName } from "./model-id.js";
import { parseModelReference } from "./model-reference.js";
import { nearNames } from "./near-names.js";

describe("names that may have been meant", () => {
  const known = ["qwen2.5-coder-0.5b-instruct", "qwen2.5-coder-1.5b-instruct", "smollm2-135m-instruct"];

  it("forgive slips and missing parts, and nothing else", () => {
    expect(nearNames("smolm2-135m-instruct", known)).toEqual(["smollm2-135m-instruct"]);
    expect(nearNames("Qwen2.5-coder", known)).toHaveLength(2);
    expect(nearNames("gpt", known)).toEqual([]);
  });

  it("put a name itself first", () => {
    fc.assert(fc.property(fc.constantFrom(...known), (name) => nearNames(name, known)[0] === name));
  });
});

describe("a reference to a model", () => {
  const parse = (text: string, baseAddress?: string) => parseModelReference(text, { catalogue: [], baseAddress });

  it("is a path in Node and an address relative to the page in a browser", () => {
    expect(parse("./a.gguf")).toEqual({ kind: "path", path: "./a.gguf" });
    expect(parse("/models/a.gguf", "https://host/page/")).toEqual({
      kind: "address",
      address: "https://host/models/a.gguf",
    });
  });

  it("leads to the file where the hub's page about it was given", () => {
    expect(parse("https://huggingface.co/o/r/blob/main/a.gguf")).toEqual({
      kind: "address",
      address: "https://huggingface.co/o/r/resolve/main/a.gguf",
    });
  });

  it.each(["", "  ", "ftp://host/a.gguf", "http://"])("is refused when it is %j", (text) => {
    expect(() => parse(text)).toThrowError(expect.objectContaining({ code: "model_not_found" }));
  });
});

describe("file names and ids", () => {
  it("never leave their folder, whatever the address", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) =>
        /^[A-Za-z0-9_-][A-Za-z0-9._-]*\.gguf$/.test(modelFileName(text)),
      ),
    );
    expect(modelFileName("https://host/a%2F..%2Fb.gguf?x=1")).toBe("a-..-b.gguf");
  });

  it("differ for different models of one name", () => {
    expect(addedModelId("A.gguf", "0123456789", new Set(["a"]))).toBe("a-01234567");
  });
});

describe("sizes in words", () => {
  it.each([
    [999, "999 bytes"],
    [1000, "1.00 kB"],
    [98_362_432, "98.4 MB"],
    [999_600_000, "1.00 GB"],
    [1_117_320_768, "1.12 GB"],
  ])("%i", (bytes, words) => {
    expect(byteSize(bytes)).toBe(words);
  });
});
