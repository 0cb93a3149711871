import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, describe, expect, it } from "vitest";
import { hasRelaxedSimd } from "./fixture.mjs";

// Products of quantised weights and activations, by the kernels as this build compiled them, against sums in 64-bit floats
// over the same quantised numbers.

const require = createRequire(import.meta.url);
const folder = new URL("../dist/", import.meta.url);
const TYPES = {
  q4_0: { block: 32 },
  q4_1: { block: 32 },
  q5_0: { block: 32 },
  q5_1: { block: 32 },
  q8_0: { block: 32 },
  q2_K: { block: 256 },
  q3_K: { block: 256 },
  q4_K: { block: 256 },
  q5_K: { block: 256 },
  q6_K: { block: 256 },
  iq4_nl: { block: 32 },
  iq4_xs: { block: 256 },
};
const names = Object.keys(TYPES);
const LARGEST_FLOAT = (2 - 2 ** -23) * 2 ** 127;

/** The numbers of DotProduct in kernels/arithmetic.h. */
const DOT = { absent: 0, saturating: 1, unsigned8: 2, signed8: 3 };

async function openModule(variant) {
  const path = (suffix) => new URL(`kernels.${variant}.${suffix}`, folder).pathname;
  const module = await require(path("cjs"))({ wasmBinary: readFileSync(path("wasm")) });
  module._start();
  const heap = () => module.HEAPU8.buffer;
  const allocated = [];
  const room = (bytes) => {
    const pointer = module._malloc(bytes);
    if (pointer === 0) throw new Error(`no room for ${bytes} bytes`);
    allocated.push(pointer);
    return pointer;
  };
  const put = (values) => {
    const pointer = room(values.byteLength);
    new Float32Array(heap(), pointer, values.length).set(values);
    return pointer;
  };
  const take = (pointer, count) => new Float32Array(heap(), pointer, count).slice();
  const typeOf = (name) => {
    const pointer = room(name.length + 1);
    new Uint8Array(heap()).set([...Buffer.from(name), 0], pointer);
    return module._find_type(pointer);
  };
  const relaxed = module._dot_product() !== DOT.absent;

  /** One product; `way` is { threads } through ggml's graph or { dot } by the kernels alone. */
  function product(name, { weights, activations, rows, columns, k }, way) {
    const type = typeOf(name);
    const packed = room(module._row_bytes(type, k) * columns);
    module._quantize(type, put(weights), packed, columns, k);
    const values = room(4 * columns * k);
    module._dequantize(type, packed, values, columns, k);
    const out = put(new Float32Array(rows * columns).fill(Number.NaN));
    const status =
      way.threads !== undefined
        ? module._graph_product(type, packed, put(activations), out, rows, columns, k, way.threads)
        : module._kernel_product(type, packed, put(activations), out, rows, columns, k, way.dot, 1);
    expect(status).toBe(0);
    const result = { product: take(out, rows * columns), weights: take(values, columns * k) };
    for (const pointer of allocated.splice(0)) module._free(pointer);
    return result;
  }
  /** What a function of four numbers at a time makes of many. */
  function map(name, values, Result) {
    const input = room(values.byteLength);
    new values.constructor(heap(), input, values.length).set(values);
    const out = room(values.length * Result.BYTES_PER_ELEMENT);
    module[`_${name}`](input, out, values.length);
    const result = new Result(heap(), out, values.length).slice();
    for (const pointer of allocated.splice(0)) module._free(pointer);
    return result;
  }

  function transpose(halves, rows, dims) {
    const input = room(halves.byteLength);
    new Uint16Array(heap(), input, halves.length).set(halves);
    const out = room(4 * halves.length);
    module._transpose_halves(input, out, rows, dims);
    const result = take(out, halves.length);
    for (const pointer of allocated.splice(0)) module._free(pointer);
    return result;
  }

  return {
    product,
    map,
    transpose,
    relaxed,
    dot: module._dot_product(),
    close: () => module.PThread?.terminateAllThreads(),
  };
}

/** The nearest even number on a tie, as WebAssembly's f32x4.nearest. */
function nearest(x) {
  const floor = Math.floor(x);
  const rest = x - floor;
  if (rest !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** Activations after quantisation in groups of 32. */
function quantized(activations) {
  const out = new Float64Array(activations.length);
  for (let start = 0; start < out.length; start += 32) {
    let max = 0;
    for (let i = start; i < start + 32; i++) max = Math.max(max, Math.abs(activations[i]));
    const scale = Math.fround(max / 127);
    const inverse = scale === 0 ? 0 : Math.fround(1 / scale);
    for (let i = start; i < start + 32; i++) out[i] = nearest(Math.fround(activations[i] * inverse)) * scale;
  }
  return out;
}

/** Fails unless every sum is within what 32-bit floats allow of the reference. */
function expectClose(result, { activations, rows, columns, k }, label) {
  const a = quantized(activations);
  let worst = 0;
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      let sum = 0;
      let size = 0;
      for (let i = 0; i < k; i++) {
        const term = a[r * k + i] * result.weights[c * k + i];
        sum += term;
        size += Math.abs(term);
      }
      worst = Math.max(worst, Math.abs(result.product[r * columns + c] - sum) / (size + 1e-30));
      if (Number.isNaN(result.product[r * columns + c])) worst = Number.POSITIVE_INFINITY;
    }
  }
  expect(worst, label).toBeLessThan(4e-6);
}

/** Numbers that repeat for a seed; `shape` makes one of a number from -1 to 1. */
function numbers(count, seed, shape = (x) => x) {
  let state = (seed * 2654435761) >>> 0;
  return Float32Array.from({ length: count }, (_, at) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return shape(state / 2 ** 31 - 1, at);
  });
}

const variants = readdirSync(folder)
  .map((file) => /^kernels\.(.+)\.cjs$/.exec(file)?.[1])
  .filter((name) => name && (hasRelaxedSimd || !name.startsWith("relaxed")));

/** Half precision by its definition. */
function halfValue(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The half nearest to a float, ties to the even one. */
function nearestHalf(x) {
  if (Number.isNaN(x)) return 0x7e00;
  const sign = Object.is(Math.sign(x), -0) || x < 0 ? 0x8000 : 0;
  const magnitude = Math.abs(x);
  if (magnitude >= 65520) return sign | 0x7c00;
  const step = magnitude < 2 ** -14 ? 2 ** -24 : 2 ** (Math.floor(Math.log2(magnitude)) - 10);
  const rounded = nearest(magnitude / step) * step;
  if (rounded < 2 ** -14) return sign | (rounded / 2 ** -24);
  const exponent = Math.floor(Math.log2(rounded));
  return sign | ((exponent + 15) << 10) | ((rounded / 2 ** exponent - 1) * 1024);
}

describe.each(variants)("kernels of %s", async (variant) => {
  const module = await openModule(variant);
  afterAll(() => module.close());
  const threaded = variant.includes("threads");

  describe.each(names)("%s", (name) => {
    const { block } = TYPES[name];
    const shapes = [
      { rows: 1, columns: 1, k: block },
      { rows: 3, columns: 7, k: block * 3 },
      { rows: 4, columns: 8, k: block },
      { rows: 5, columns: 33, k: block * 2 },
      { rows: 9, columns: 12, k: 512 + block },
      { rows: 13, columns: 37, k: 1024 },
      { rows: 66, columns: 20, k: block },
    ];

    it("multiplies as the reference does, whatever the shape", () => {
      for (const [seed, shape] of shapes.entries()) {
        const input = {
          ...shape,
          weights: numbers(shape.columns * shape.k, seed + 1),
          activations: numbers(shape.rows * shape.k, seed + 100, (x) => 4 * x ** 3),
        };
        const ways = module.relaxed ? [DOT.absent, DOT.saturating, module.dot] : [DOT.absent];
        for (const dot of ways)
          expectClose(module.product(name, input, { dot }), input, `dot ${dot}, ${JSON.stringify(shape)}`);
      }
    });

    it("goes through ggml's graph to the same numbers, on any number of threads", () => {
      const shape = { rows: 7, columns: 75, k: 512 };
      const input = { ...shape, weights: numbers(75 * 512, 3), activations: numbers(7 * 512, 4) };
      const alone = module.product(name, input, { dot: module.dot });
      for (const threads of threaded ? [1, 2, 3] : [1]) {
        const result = module.product(name, input, { threads });
        expectClose(result, input, `${threads} threads`);
        expect(result.product, `${threads} threads`).toEqual(alone.product);
      }
    });

    it.each([
      ["zeros", () => 0],
      ["one number far from the others", (x, at) => (at % 64 === 5 ? 900 : x / 100)],
      ["the largest codes", (_, at) => (at % 3 === 0 ? -1 : 1)],
      ["tiny numbers", (x) => x * 1e-20],
      ["huge numbers", (x) => x * 1e20],
    ])("takes activations that are %s", (_, shape) => {
      const size = { rows: 6, columns: 9, k: 512 };
      const input = {
        ...size,
        weights: numbers(size.columns * size.k, 8, (x, at) => (at % 5 === 0 ? Math.sign(x) : x)),
        activations: numbers(size.rows * size.k, 9, shape),
      };
      expectClose(module.product(name, input, { dot: module.dot }), input, "extreme");
    });

    it("does not hide an activation that is no number", () => {
      const size = { rows: 3, columns: 4, k: 256 };
      const activations = numbers(size.rows * size.k, 2);
      activations[size.k + 40] = Number.NaN;
      const input = { ...size, weights: numbers(size.columns * size.k, 1), activations };
      const { product } = module.product(name, input, { dot: module.dot });
      expect([...product].map(Number.isNaN)).toEqual(Array.from({ length: 12 }, (_, at) => at >= 4 && at < 8));
    });
  });

  it("computes e^x to two units in the last place, and its limits exactly", () => {
    const values = numbers(40_000, 5, (x) => x * 104);
    const found = module.map("exponentials", values, Float32Array);
    let worst = 0;
    values.forEach((x, at) => {
      const exact = Math.exp(x);
      const unit = Math.max(2 ** (Math.floor(Math.log2(exact)) - 23), 2 ** -149);
      if (exact <= LARGEST_FLOAT) worst = Math.max(worst, Math.abs(found[at] - exact) / unit);
      else expect(found[at]).toBe(Number.POSITIVE_INFINITY);
    });
    expect(worst).toBeLessThanOrEqual(2);
    const { POSITIVE_INFINITY: infinity, NEGATIVE_INFINITY: negative, NaN: nan } = Number;
    const limits = module.map(
      "exponentials",
      Float32Array.of(0, -0, infinity, negative, nan, -1e30, 1e30, -200),
      Float32Array,
    );
    expect([...limits]).toEqual([1, 1, infinity, 0, nan, 0, infinity, 0]);
  });

  it("widens every half exactly", () => {
    const halves = Uint16Array.from({ length: 65_536 }, (_, bits) => bits);
    const floats = module.map("from_halves", halves, Float32Array);
    floats.forEach((value, bits) => expect(Object.is(value, halfValue(bits)), bits.toString(16)).toBe(true));
  });

  it("rounds to the nearest half", () => {
    const around = Array.from({ length: 4096 }, (_, at) => halfValue(at * 8)).filter(Number.isFinite);
    const values = Float32Array.from([
      ...around.flatMap((x) => [x, x * (1 + 2 ** -11), x * (1 + 3 * 2 ** -12), -x * (1 + 2 ** -12)]),
      ...numbers(4000, 6, (x) => x ** 9 * 70_000),
      ...[
        0,
        -0,
        65_504,
        65_519,
        65_520,
        -65_520,
        2 ** -25,
        2 ** -24,
        3 * 2 ** -25,
        2 ** -14 - 2 ** -26,
        1e-30,
        Number.NaN,
      ],
      ...[Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 3e38, 1e-45],
    ]);
    const halves = module.map("to_halves", values.subarray(0, values.length & ~3), Uint16Array);
    halves.forEach((bits, at) => expect(bits, `${values[at]}`).toBe(nearestHalf(values[at])));
  });

  it.each([
    [4, 8],
    [1, 3],
    [7, 13],
    [64, 64],
  ])("turns %i rows of %i halves into columns", (rows, dims) => {
    const halves = Uint16Array.from({ length: rows * dims }, (_, at) => (at * 37) & 0x7bff);
    const columns = module.transpose(halves, rows, dims);
    halves.forEach((bits, at) => {
      const [row, d] = [Math.floor(at / dims), at % dims];
      expect(columns[d * rows + row]).toBe(halfValue(bits));
    });
  });
});
