import { OptioError } from "../errors.js";

/** Frames of `wasm/PROTOCOL.md`: little-endian fields, each padded to four bytes. */
export const protocolVersion = 2;

export const FrameKind = { request: 0, result: 1, error: 2, progress: 3 } as const;
export type FrameKind = (typeof FrameKind)[keyof typeof FrameKind];

export const Op = {
  hello: 1,
  load: 2,
  tokenize: 3,
  score: 4,
  step: 5,
  hidden: 6,
  forget: 7,
  unload: 8,
  cancel: 9,
  pieces: 10,
} as const;
export type Op = (typeof Op)[keyof typeof Op];

/** Bytes before the payload: length, kind and op, id. */
export const frameHeaderBytes = 12;
/** Frames beyond this are refused by both sides. */
export const maxFrameBytes = 256 * 1024 * 1024;

export interface Frame {
  readonly kind: FrameKind;
  readonly op: Op;
  readonly id: number;
  readonly payload: FrameReader;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: false });

const padded = (bytes: number): number => (bytes + 3) & ~3;

/** Builds one frame; the buffer grows as needed. */
export class FrameWriter {
  #bytes = new Uint8Array(256);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  constructor(kind: FrameKind, op: Op, id: number) {
    this.#grow(frameHeaderBytes);
    this.#view.setUint16(4, kind, true);
    this.#view.setUint16(6, op, true);
    this.#view.setUint32(8, id, true);
    this.#length = frameHeaderBytes;
  }

  u32(value: number): this {
    this.#grow(4);
    this.#view.setUint32(this.#length, value, true);
    this.#length += 4;
    return this;
  }

  i32(value: number): this {
    this.#grow(4);
    this.#view.setInt32(this.#length, value, true);
    this.#length += 4;
    return this;
  }

  f32(value: number): this {
    this.#grow(4);
    this.#view.setFloat32(this.#length, value, true);
    this.#length += 4;
    return this;
  }

  f64(value: number): this {
    this.#grow(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
    return this;
  }

  string(text: string): this {
    const bytes = encoder.encode(text);
    this.u32(bytes.length);
    this.#grow(padded(bytes.length));
    this.#bytes.set(bytes, this.#length);
    this.#length += padded(bytes.length);
    return this;
  }

  json(value: unknown): this {
    return this.string(JSON.stringify(value));
  }

  i32Array(values: ArrayLike<number>): this {
    this.u32(values.length);
    this.#grow(values.length * 4);
    for (let index = 0; index < values.length; index += 1) {
      this.#view.setInt32(this.#length + index * 4, values[index] ?? 0, true);
    }
    this.#length += values.length * 4;
    return this;
  }

  f32Array(values: ArrayLike<number>): this {
    this.u32(values.length);
    this.#grow(values.length * 4);
    for (let index = 0; index < values.length; index += 1) {
      this.#view.setFloat32(this.#length + index * 4, values[index] ?? 0, true);
    }
    this.#length += values.length * 4;
    return this;
  }

  finish(): Uint8Array {
    this.#view.setUint32(0, this.#length - 4, true);
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const bytes = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }
}

/** Reads the payload of a frame; everything returned is a copy. */
export class FrameReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = at;
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  i32(): number {
    return this.#view.getInt32(this.#take(4), true);
  }

  f32(): number {
    return this.#view.getFloat32(this.#take(4), true);
  }

  f64(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  string(): string {
    return decoder.decode(this.byteArray());
  }

  /** The bytes of a string that need not be UTF-8. */
  byteArray(): Uint8Array {
    const length = this.u32();
    const start = this.#take(padded(length));
    // Copied: the buffer may be shared memory, which TextDecoder refuses.
    return this.#bytes.slice(start, start + length);
  }

  json(): unknown {
    const text = this.string();
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new OptioError("protocol_mismatch", "The scorer sent text that is not JSON.", { cause });
    }
  }

  i32Array(): Int32Array {
    const count = this.u32();
    const start = this.#take(count * 4);
    const values = new Int32Array(count);
    for (let index = 0; index < count; index += 1) values[index] = this.#view.getInt32(start + index * 4, true);
    return values;
  }

  f32Array(): Float32Array {
    const count = this.u32();
    const start = this.#take(count * 4);
    const values = new Float32Array(count);
    for (let index = 0; index < count; index += 1) values[index] = this.#view.getFloat32(start + index * 4, true);
    return values;
  }

  /** @throws OptioError `protocol_mismatch` when bytes are left over. */
  end(): void {
    if (this.#at !== this.#bytes.length) {
      throw new OptioError("protocol_mismatch", `A frame has ${this.#bytes.length - this.#at} bytes too many.`);
    }
  }

  #take(bytes: number): number {
    const start = this.#at;
    if (bytes > this.#bytes.length - start) {
      throw new OptioError(
        "protocol_mismatch",
        `A frame ends ${bytes - (this.#bytes.length - start)} bytes too early.`,
      );
    }
    this.#at += bytes;
    return start;
  }
}

/** Splits one whole frame into its parts. */
export function readFrame(bytes: Uint8Array): Frame {
  const reader = new FrameReader(bytes);
  const length = reader.u32();
  if (length !== bytes.length - 4) {
    throw new OptioError("protocol_mismatch", `A frame says ${length} bytes and has ${bytes.length - 4}.`);
  }
  const kind = reader.u16();
  const op = reader.u16();
  const id = reader.u32();
  return { kind: kind as FrameKind, op: op as Op, id, payload: reader };
}

/** Cuts a byte stream into frames. */
export class FrameSplitter {
  #pending: Uint8Array = new Uint8Array(0);

  /** The whole frames that are there once `chunk` has arrived. */
  push(chunk: Uint8Array): readonly Uint8Array[] {
    const bytes = new Uint8Array(this.#pending.length + chunk.length);
    bytes.set(this.#pending);
    bytes.set(chunk, this.#pending.length);
    const view = new DataView(bytes.buffer);
    const frames: Uint8Array[] = [];
    let at = 0;
    while (bytes.length - at >= 4) {
      const length = view.getUint32(at, true);
      if (length < frameHeaderBytes - 4 || length > maxFrameBytes) {
        throw new OptioError("protocol_mismatch", `A frame of ${length} bytes is not valid.`);
      }
      if (bytes.length - at < length + 4) break;
      frames.push(bytes.slice(at, at + length + 4));
      at += length + 4;
    }
    this.#pending = bytes.slice(at);
    return frames;
  }
}
