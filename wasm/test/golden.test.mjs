import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { open, ScorerError } from "./client.mjs";
import { modelPath, transports } from "./fixture.mjs";

const { frames } = JSON.parse(readFileSync(new URL("../golden/frames.json", import.meta.url), "utf8"));

/** Targets add in other orders, and their quantised kernels differ: so much for one logit or log-sum-exp. */
const numberTolerance = 0.6;

describe.each(Object.entries(transports))("golden frames, %s", (_, start) => {
  let scorer;
  beforeAll(async () => {
    scorer = await start();
    await scorer.load(modelPath, { contextTokens: 256 });
  });
  afterAll(() => scorer?.close());

  it.each(frames)("$name", async ({ request, answer }) => {
    const expected = Uint8Array.from(Buffer.from(answer, "hex"));
    const found = Uint8Array.from(await scorer.exchange(Uint8Array.from(Buffer.from(request, "hex"))));
    // Length, kind, op and id are the same to the byte; so is everything but times and computed numbers.
    expect(found.subarray(0, 12)).toEqual(expected.subarray(0, 12));
    const [a, b] = [read(found), read(expected)];
    if (a.op !== 4 || a.error) {
      expect(found).toEqual(expected);
      return;
    }
    const [counts, wanted] = [scoreOf(a.reader), scoreOf(b.reader)];
    expect(counts.integers).toEqual(wanted.integers);
    counts.numbers.forEach((value, index) =>
      expect(Math.abs(value - wanted.numbers[index])).toBeLessThan(numberTolerance),
    );
  });
});

function read(bytes) {
  try {
    return open(bytes);
  } catch (error) {
    if (!(error instanceof ScorerError)) throw error;
    return { op: new DataView(bytes.buffer).getUint16(6, true), error };
  }
}

function scoreOf(reader) {
  const integers = [reader.u32(), reader.u32(), reader.u32(), reader.u32()];
  reader.f64();
  reader.f64();
  const numbers = [];
  const reads = reader.u32();
  integers.push(reads);
  for (let index = 0; index < reads; index++) numbers.push(reader.f32(), ...reader.numbers(Float32Array));
  integers.push(reader.left);
  return { integers, numbers };
}
