import { z } from "zod";
import { type ErrorCode, OptioError } from "../errors.js";
import { type Frame, FrameKind, type FrameReader, FrameWriter, Op, protocolVersion, readFrame } from "./frame.js";
import type { ModelInfo, ReadResult, ScorePlan, ScoreResult, TokenizeText } from "./scorer.js";

/** The messages of `wasm/PROTOCOL.md`, written and read; transports move the bytes. */

export interface Hello {
  readonly protocol: number;
  readonly llamaRelease: string;
  readonly target: "wasm" | "native";
  readonly variant: string;
  readonly systemInfo: string;
}

export interface LoadSettings {
  /** Native: the file. */
  readonly path?: string;
  /** Module: the size of what `optioRead` reads. */
  readonly sizeBytes?: number;
  readonly threads: number;
  readonly contextTokens: number;
  readonly batchTokens?: number;
  readonly maxSequences?: number;
  readonly flashAttention?: boolean;
  readonly kvType?: "f16" | "f32" | "q8_0";
  readonly gpuLayers?: number;
  readonly repack?: boolean;
}

export interface Loaded {
  readonly threads: number;
  readonly model: ModelInfo;
}

export interface ScoreRequest {
  readonly plan: ScorePlan;
  readonly reuse: boolean;
  /** Stop after each batch; see op `step`. */
  readonly stepwise: boolean;
  /** Milliseconds from now; 0 for none. */
  readonly deadlineMs: number;
}

export type ScoreAnswer =
  | { readonly done: false; readonly evaluatedTokens: number; readonly totalTokens: number }
  | { readonly done: true; readonly result: ScoreResult };

const helloSchema = z.object({
  protocol: z.number().int(),
  llamaRelease: z.string(),
  target: z.enum(["wasm", "native"]),
  variant: z.string(),
  systemInfo: z.string(),
});

const loadedSchema = z.object({
  threads: z.number().int().positive(),
  model: z.object({
    architecture: z.string(),
    name: z.string(),
    fileType: z.string(),
    parameterCount: z.number().nonnegative(),
    sizeBytes: z.number().nonnegative(),
    vocabSize: z.number().int().positive(),
    embeddingLength: z.number().int().positive(),
    trainedContext: z.number().int().nonnegative(),
    contextTokens: z.number().int().positive(),
    bosToken: z.number().int(),
    eosToken: z.number().int(),
    eotToken: z.number().int(),
    addBos: z.boolean(),
    chatTemplates: z.record(z.string(), z.string()),
    truncatable: z.boolean(),
    reservedTokens: z.array(
      z.object({ id: z.number().int(), text: z.string(), kind: z.enum(["control", "user-defined", "unknown"]) }),
    ),
    metadata: z.record(z.string(), z.string()),
  }),
});

export function helloRequest(id: number): Uint8Array {
  return new FrameWriter(FrameKind.request, Op.hello, id).u32(protocolVersion).finish();
}

/** @throws OptioError `protocol_mismatch` when the scorer speaks another version. */
export function readHello(payload: FrameReader): Hello {
  const hello = parse(helloSchema, payload);
  if (hello.protocol !== protocolVersion) {
    throw new OptioError(
      "protocol_mismatch",
      `The scorer speaks protocol ${hello.protocol}, this library speaks ${protocolVersion}.`,
    );
  }
  return hello;
}

export function loadRequest(id: number, settings: LoadSettings): Uint8Array {
  return new FrameWriter(FrameKind.request, Op.load, id).json(settings).finish();
}

export function readLoaded(payload: FrameReader): Loaded {
  return parse(loadedSchema, payload);
}

export function tokenizeRequest(id: number, texts: readonly TokenizeText[]): Uint8Array {
  const writer = new FrameWriter(FrameKind.request, Op.tokenize, id).u32(texts.length);
  for (const { text, special } of texts) writer.u32(special ? 1 : 0).string(text);
  return writer.finish();
}

export function readTokens(payload: FrameReader): readonly Int32Array[] {
  const count = payload.u32();
  const texts = Array.from({ length: count }, () => payload.i32Array());
  payload.end();
  return texts;
}

export function piecesRequest(id: number, tokens: Int32Array): Uint8Array {
  return new FrameWriter(FrameKind.request, Op.pieces, id).i32Array(tokens).finish();
}

export function readPieces(payload: FrameReader): readonly Uint8Array[] {
  const count = payload.u32();
  const pieces = Array.from({ length: count }, () => payload.byteArray());
  payload.end();
  return pieces;
}

const scoreFlags = { reuse: 1, stepwise: 2 } as const;

export function scoreRequest(id: number, request: ScoreRequest): Uint8Array {
  const flags = (request.reuse ? scoreFlags.reuse : 0) | (request.stepwise ? scoreFlags.stepwise : 0);
  const writer = new FrameWriter(FrameKind.request, Op.score, id).u32(flags).f64(request.deadlineMs);
  writer.u32(request.plan.nodes.length);
  for (const node of request.plan.nodes) {
    writer.i32(node.parent).i32Array(node.tokens).u32(node.reads.length);
    for (const read of node.reads)
      writer
        .u32(read.at)
        .u32(read.top ?? 0)
        .i32Array(read.ids);
  }
  return writer.finish();
}

/** Reads the answer to `score` or `step`; the plan says which reads belong to which node. */
export function readScore(payload: FrameReader, plan: ScorePlan): ScoreAnswer {
  const done = payload.u32() === 1;
  const evaluatedTokens = payload.u32();
  const totalTokens = payload.u32();
  if (!done) {
    payload.end();
    return { done, evaluatedTokens, totalTokens };
  }
  const reusedTokens = payload.u32();
  const prefillMs = payload.f64();
  const branchesMs = payload.f64();
  const wanted = plan.nodes.reduce((sum, node) => sum + node.reads.length, 0);
  const count = payload.u32();
  if (count !== wanted) {
    throw new OptioError("protocol_mismatch", `The scorer answered ${count} reads where ${wanted} were asked for.`);
  }
  const nodes = plan.nodes.map((node) =>
    node.reads.map((read): ReadResult => {
      const logSumExp = payload.f32();
      const logits = payload.f32Array();
      if (logits.length !== read.ids.length) {
        throw new OptioError(
          "protocol_mismatch",
          `The scorer answered ${logits.length} logits where ${read.ids.length} were asked for.`,
        );
      }
      const top = { ids: payload.i32Array(), logits: payload.f32Array() };
      return { logits, logSumExp, ...(read.top === undefined ? {} : { top }) };
    }),
  );
  payload.end();
  return { done, result: { nodes, evaluatedTokens, reusedTokens, prefillMs, branchesMs } };
}

export function hiddenRequest(id: number, tokens: Int32Array, positions: Int32Array, deadlineMs: number): Uint8Array {
  return new FrameWriter(FrameKind.request, Op.hidden, id)
    .i32Array(tokens)
    .i32Array(positions)
    .f64(deadlineMs)
    .finish();
}

export function readHidden(payload: FrameReader): readonly Float32Array[] {
  const count = payload.u32();
  const rows = Array.from({ length: count }, () => payload.f32Array());
  payload.end();
  return rows;
}

/** A request that is only its op: `step`, `forget`, `unload`, `cancel`. */
export function bareRequest(id: number, op: Op): Uint8Array {
  return new FrameWriter(FrameKind.request, op, id).finish();
}

/** A call was cancelled on the other side; whoever cancelled it reports the reason of the signal instead. */
export class CallAborted extends OptioError {
  constructor() {
    super("internal", "The call was cancelled.");
  }
}

const scorerCodes: Readonly<Record<string, ErrorCode>> = {
  context_too_long: "context_too_long",
  model_invalid: "model_invalid",
  model_unsupported: "model_unsupported",
  out_of_memory: "out_of_memory",
  timeout: "timeout",
  non_finite_scores: "non_finite_scores",
  protocol_mismatch: "protocol_mismatch",
};

const detailsSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** An error frame as the error to throw. */
export function readError(payload: FrameReader): OptioError {
  const code = payload.string();
  const message = payload.string();
  const details = detailsSchema.safeParse(payload.json());
  if (code === "aborted") return new CallAborted();
  return new OptioError(scorerCodes[code] ?? "internal", message, { details: details.success ? details.data : {} });
}

/** The payload of a result frame; an error frame is thrown. */
export function resultOf(bytes: Uint8Array): FrameReader {
  const frame: Frame = readFrame(bytes);
  if (frame.kind === FrameKind.error) throw readError(frame.payload);
  if (frame.kind !== FrameKind.result) {
    throw new OptioError("protocol_mismatch", `The scorer sent a frame of kind ${frame.kind} where a result belongs.`);
  }
  return frame.payload;
}

function parse<T>(schema: z.ZodType<T>, payload: FrameReader): T {
  const value = schema.safeParse(payload.json());
  payload.end();
  if (value.success) return value.data;
  throw new OptioError("protocol_mismatch", `The scorer's answer has another shape: ${z.prettifyError(value.error)}`);
}
