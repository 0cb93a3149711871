import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { zipArchive } from "../../test/zip-archive.js";
import type { StoreFiles } from "./store-platform.js";
import { openZipMember } from "./zip-member.js";

/** One file in memory, read in pieces of `step` bytes. */
function fileOf(bytes: Uint8Array, step = 7): StoreFiles {
  const read = async function* (_: string, start = 0, end = bytes.length) {
    for (let at = start; at < Math.min(end, bytes.length); at += step) yield bytes.slice(at, Math.min(at + step, end));
  };
  const unused = () => expect.fail("only size and read are needed");
  return {
    size: async () => bytes.length,
    read,
    append: unused,
    rename: unused,
    remove: unused,
    list: unused,
    freeBytes: unused,
    blob: unused,
    modelFile: unused,
  };
}

async function unpacked(archive: Uint8Array, path: string, step?: number): Promise<Buffer> {
  const member = await openZipMember(fileOf(archive, step), "folder/a.whl.part", path);
  const chunks: Uint8Array[] = [];
  for await (const chunk of member.read()) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  expect(bytes).toHaveLength(member.sizeBytes);
  return bytes;
}

const refusal = (reason: string) => ({ code: "download_failed", message: `a.whl could not be read: ${reason}` });

describe("a member of a zip archive", () => {
  it("comes out as it went in, wherever it lies and however it is read", async () => {
    const members = fc.uniqueArray(
      fc.record({
        path: fc.stringMatching(/^[a-z]{1,8}\/[a-zé]{1,8}$/),
        bytes: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
        packed: fc.boolean(),
      }),
      { selector: ({ path }) => path, minLength: 1, maxLength: 5 },
    );
    const comment = fc.constantFrom("", "a comment", "x".repeat(5000));
    await fc.assert(
      fc.asyncProperty(members, comment, fc.integer({ min: 1, max: 400 }), async (all, text, step) => {
        const archive = zipArchive(all, text);
        for (const { path, bytes } of all) expect(await unpacked(archive, path, step)).toEqual(bytes);
      }),
      { numRuns: 60 },
    );
  });

  const whole = zipArchive([{ path: "a", bytes: Buffer.from("hello hello hello"), packed: true }]);
  const directoryAt = whole.indexOf("PK\x01\x02");
  const changed = (offset: number, ...bytes: number[]) =>
    Buffer.concat([whole]).fill(Buffer.from(bytes), offset, offset + bytes.length);

  it.each([
    ["it has no member b", whole, "b"],
    ["it has no directory", whole.subarray(0, -1), "a"],
    ["it has no directory", Buffer.from("PK\x03\x04"), "a"],
    ["its directory lies outside of it", whole.subarray(30), "a"],
    ["a is encrypted", changed(directoryAt + 8, 1), "a"],
    ["a is packed by method 14", changed(directoryAt + 10, 14), "a"],
    ["a uses ZIP64", changed(directoryAt + 24, 255, 255, 255, 255), "a"],
    ["it uses ZIP64", changed(whole.length - 6, 255, 255, 255, 255), "a"],
    ["a member's header is not where the directory says", changed(0, 0), "a"],
  ])("is refused when %s", async (reason, archive, path) => {
    await expect(unpacked(archive, path)).rejects.toMatchObject(refusal(reason));
  });

  it("is refused when its packed bytes are broken", async () => {
    const dataAt = directoryAt - 4;
    await expect(unpacked(changed(dataAt - 6, 255, 255, 255, 255, 255), "a")).rejects.toMatchObject({
      code: "download_failed",
    });
  });
});
