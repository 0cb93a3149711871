import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

// llama.cpp's own functions as this build compiled them (patches/0001), against its scalar reference.
const bytes = readFileSync(new URL("../dist/quantizer.wasm", import.meta.url));
const { exports: module } = await WebAssembly.instantiate(await WebAssembly.compile(bytes), {
  wasi_snapshot_preview1: new Proxy({}, { get: () => () => 0 }),
  env: new Proxy({}, { get: () => () => 0 }),
});
module._initialize?.();

const blockValues = 32;
const blockBytes = { q8_0: 2 + 32, q8_1: 2 + 2 + 32 };

function quantize(name, values) {
  const input = module.malloc(values.length * 4);
  const output = module.malloc((values.length / blockValues) * blockBytes[name.slice(0, 4)]);
  new Float32Array(module.memory.buffer, input, values.length).set(values);
  module[name](input, output, values.length);
  const result = new Uint8Array(
    module.memory.buffer,
    output,
    (values.length / blockValues) * blockBytes[name.slice(0, 4)],
  ).slice();
  module.free(input);
  module.free(output);
  return result;
}

/** Numbers from -1 to 1 that repeat. */
function noise(count, seed) {
  let state = seed >>> 0;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state / 2 ** 31 - 1) * (1 + (seed % 7));
  });
}

const kinds = ["q8_0", "q8_1"];

describe.each(kinds)("%s of activations", (kind) => {
  const quantsAt = blockBytes[kind] - blockValues;

  it("rounds to the nearest, as the reference does", () => {
    for (let seed = 1; seed <= 50; seed++) {
      const values = noise(blockValues * 8, seed);
      const [ours, reference] = [quantize(kind, values), quantize(`${kind}_reference`, values)];
      for (let at = 0; at < ours.length; at++) {
        if (at % blockBytes[kind] < quantsAt) continue;
        const [a, b] = [ours, reference].map((quants) => new Int8Array(quants.buffer)[at]);
        // Halves go to even here and away from zero there: nothing else may differ.
        expect(Math.abs(a - b), `seed ${seed}, byte ${at}`).toBeLessThanOrEqual(1);
      }
    }
  });

  it("has no error that leans to zero", () => {
    const values = noise(blockValues * 256, 3);
    const quants = new Int8Array(quantize(kind, values).buffer);
    let lean = 0;
    for (let block = 0; block < 256; block++) {
      const own = values.subarray(block * blockValues, (block + 1) * blockValues);
      const scale = Math.max(...own.map(Math.abs)) / 127;
      own.forEach((value, index) => {
        lean += Math.abs(quants[block * blockBytes[kind] + quantsAt + index]) - Math.abs(value / scale);
      });
    }
    // Cutting the fraction off would make every magnitude half a step smaller on average.
    expect(Math.abs(lean / values.length)).toBeLessThan(0.05);
  });

  it("takes zeros and extremes", () => {
    expect([...quantize(kind, new Float32Array(blockValues))].every((byte) => byte === 0)).toBe(true);
    const extreme = Float32Array.from({ length: blockValues }, (_, index) => (index % 2 === 0 ? 60_000 : -60_000));
    const quants = new Int8Array(quantize(kind, extreme).buffer).subarray(quantsAt);
    expect([...quants].every((value, index) => value === (index % 2 === 0 ? 127 : -127))).toBe(true);
  });
});
