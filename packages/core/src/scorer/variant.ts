import { OptioError } from "../errors.js";

/**
 * Builds of the WebAssembly scorer, from the slowest that runs most widely to the fastest. Those with relaxed SIMD round differently on
 * different processors: their logits differ a little from those of the other builds.
 */
export const wasmVariants = ["simd", "simd-threads", "relaxed-simd", "relaxed-simd-threads"] as const;

export type WasmVariant = (typeof wasmVariants)[number];

export interface WasmFeatures {
  readonly simd: boolean;
  /** Integer dot products and fused multiply-add: Chromium from 114 on, Node from 22 on, others behind a switch or later. */
  readonly relaxedSimd: boolean;
  /** Whether memory can be shared between workers here; browsers allow it in cross-origin isolated pages only. */
  readonly threads: boolean;
  /** Logical processors that this machine says it has. */
  readonly processors: number;
}

// One function that makes a v128: `i32.const 0; i8x16.splat`.
const simdProbe = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // header
  ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b], // type () -> v128
  ...[0x03, 0x02, 0x01, 0x00], // one function of that type
  ...[0x0a, 0x08, 0x01, 0x06, 0x00, 0x41, 0x00, 0xfd, 0x0f, 0x0b], // its body
);

// Three vectors for `i32x4.relaxed_dot_i8x16_i7x16_add_s`, whose result is dropped.
const relaxedSimdProbe = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // header
  ...[0x01, 0x04, 0x01, 0x60, 0x00, 0x00], // type () -> ()
  ...[0x03, 0x02, 0x01, 0x00], // one function of that type
  ...[0x0a, 0x14, 0x01, 0x12, 0x00], // its body
  ...[0x41, 0x00, 0xfd, 0x0f, 0x41, 0x00, 0xfd, 0x0f, 0x41, 0x00, 0xfd, 0x0f], // i32.const 0; i8x16.splat
  ...[0xfd, 0x93, 0x02, 0x1a, 0x0b],
);

/**
 * What this runtime offers.
 *
 * @param processors logical processors
 * @param threadsRun false where the platform is known not to run the threads that its memory would allow
 */
export function detectFeatures(processors: number, threadsRun = true): WasmFeatures {
  const validates = (probe: Uint8Array<ArrayBuffer>) => typeof WebAssembly === "object" && WebAssembly.validate(probe);
  return {
    simd: validates(simdProbe),
    relaxedSimd: validates(relaxedSimdProbe),
    threads: threadsRun && canShareMemory(),
    processors,
  };
}

function canShareMemory(): boolean {
  // WebKitGTK claims isolation and still has no SharedArrayBuffer: only the constructor tells.
  if (typeof SharedArrayBuffer !== "function") return false;
  try {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
    return memory.buffer instanceof SharedArrayBuffer;
  } catch {
    return false;
  }
}

/** More threads than this gained nothing: the kernels wait for memory. */
const maxThreads = 8;

/**
 * The build and thread count to use.
 *
 * @throws OptioError `engine_unavailable` when the machine lacks what is needed or was asked for.
 */
export function chooseVariant(
  features: WasmFeatures,
  asked: { readonly variant?: WasmVariant; readonly threads?: number },
): { readonly variant: WasmVariant; readonly threads: number } {
  if (!features.simd) {
    throw new OptioError("engine_unavailable", "This runtime has no WebAssembly SIMD.", {
      hint: "Use a browser of 2021 or later (Safari: 16.4), or Node 16.4 or later.",
    });
  }
  if (asked.threads !== undefined && (!Number.isInteger(asked.threads) || asked.threads < 1 || asked.threads > 64)) {
    throw new OptioError("invalid_setting", `threads must be a whole number from 1 to 64, not ${asked.threads}.`);
  }
  if (asked.variant !== undefined && hasRelaxedSimd(asked.variant) && !features.relaxedSimd) {
    throw new OptioError("engine_unavailable", "This runtime has no relaxed SIMD.", {
      hint: "Leave `variant` out, or use Chromium 114 or later, or Node 22 or later.",
    });
  }
  if (asked.variant !== undefined && hasThreads(asked.variant) && !features.threads) {
    throw new OptioError(
      "engine_unavailable",
      "The threaded build needs shared memory, which this page does not have.",
      {
        hint: "Serve the page with COOP: same-origin and COEP: require-corp, or leave `variant` out.",
      },
    );
  }
  if (asked.variant !== undefined && !hasThreads(asked.variant) && (asked.threads ?? 1) > 1) {
    throw new OptioError("invalid_setting", "The build without threads runs on one thread only.");
  }
  const threads = asked.threads ?? Math.max(1, Math.min(features.processors, maxThreads));
  if (asked.variant !== undefined) return { variant: asked.variant, threads: hasThreads(asked.variant) ? threads : 1 };
  const threaded = features.threads && threads > 1;
  const [alone, together] = features.relaxedSimd
    ? (["relaxed-simd", "relaxed-simd-threads"] as const)
    : (["simd", "simd-threads"] as const);
  return threaded ? { variant: together, threads } : { variant: alone, threads: 1 };
}

/** Whether the build needs shared memory. */
export function hasThreads(variant: WasmVariant): boolean {
  return variant === "simd-threads" || variant === "relaxed-simd-threads";
}

/** Whether the build needs relaxed SIMD. */
export function hasRelaxedSimd(variant: WasmVariant): boolean {
  return variant === "relaxed-simd" || variant === "relaxed-simd-threads";
}
