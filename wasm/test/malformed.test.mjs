import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { modelHead, modelPath, transports } from "./fixture.mjs";

const folder = mkdtempSync(join(tmpdir(), "optio-malformed-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A copy of the model's beginning with some bytes changed. */
function changed(at, bytes, length = 3_000_000) {
  const copy = Buffer.from(modelHead(length));
  Buffer.from(bytes).copy(copy, at);
  return copy;
}

const files = {
  "an empty file": Buffer.alloc(0),
  "four zero bytes": Buffer.alloc(4),
  "a page of HTML": Buffer.from("<!doctype html><title>Not found</title>"),
  "the magic alone": Buffer.from("GGUF"),
  "another version": changed(4, [99, 0, 0, 0]),
  "more tensors than the file could name": changed(8, [255, 255, 255, 255, 255, 255, 255, 127]),
  "more facts than the file could hold": changed(16, [255, 255, 255, 255, 255, 255, 255, 127]),
  "a key longer than the file": changed(24, [255, 255, 255, 255, 255, 255, 255, 127]),
  ...Object.fromEntries(
    [30, 100, 1_000, 50_000, 1_000_000, 2_900_000].map((length) => [
      `a file cut after ${length} bytes`,
      modelHead(length),
    ]),
  ),
};

describe.each(Object.entries(transports))("damaged files, %s", (_, start) => {
  let scorer;
  beforeAll(async () => {
    scorer = await start();
  });
  afterAll(() => scorer?.close());

  it.each(Object.entries(files))("%s is an error, and the scorer lives on", async (name, bytes) => {
    const path = join(folder, "model.gguf");
    writeFileSync(path, bytes);
    await expect(scorer.load(path), name).rejects.toMatchObject({
      code: expect.stringMatching(/^model_(invalid|unsupported)$/),
    });
    await expect(scorer.hello()).resolves.toMatchObject({ protocol: 2 });
  });

  it("a whole model can be loaded afterwards", async () => {
    await scorer.load(modelPath, { contextTokens: 256 });
    expect(await scorer.tokenize("<|im_end|>", true)).toEqual([2]);
  });
});
