// A small client of the protocol for these tests: the module in this process, or the native program as a child.

import { spawn } from "node:child_process";
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

export const OPS = {
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
};

export const moduleFolder = new URL("../../packages/core/wasm/", import.meta.url).pathname;
const nativeFolder = new URL("../../packages/server-bridge/native/", import.meta.url).pathname;

/** Grows as it is written to. */
export class Writer {
  #bytes = new Uint8Array(64);
  #at = 0;
  #room(size) {
    if (this.#at + size > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + size));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    const at = this.#at;
    this.#at += size;
    return at;
  }
  #view(size) {
    const at = this.#room(size);
    return new DataView(this.#bytes.buffer, at, size);
  }
  u16(value) {
    this.#view(2).setUint16(0, value, true);
    return this;
  }
  u32(value) {
    this.#view(4).setUint32(0, value, true);
    return this;
  }
  i32(value) {
    this.#view(4).setInt32(0, value, true);
    return this;
  }
  f64(value) {
    this.#view(8).setFloat64(0, value, true);
    return this;
  }
  raw(bytes) {
    const at = this.#room(bytes.length);
    this.#bytes.set(bytes, at);
    return this;
  }
  string(text) {
    const bytes = new TextEncoder().encode(text);
    this.u32(bytes.length).raw(bytes);
    return this.raw(new Uint8Array((4 - (bytes.length % 4)) % 4));
  }
  i32s(values) {
    this.u32(values.length);
    return this.raw(new Uint8Array(Int32Array.from(values).buffer));
  }
  bytes() {
    return this.#bytes.slice(0, this.#at);
  }
}

export class Reader {
  #view;
  #bytes;
  #at = 0;
  constructor(bytes) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  u16() {
    this.#at += 2;
    return this.#view.getUint16(this.#at - 2, true);
  }
  u32() {
    this.#at += 4;
    return this.#view.getUint32(this.#at - 4, true);
  }
  f32() {
    this.#at += 4;
    return this.#view.getFloat32(this.#at - 4, true);
  }
  f64() {
    this.#at += 8;
    return this.#view.getFloat64(this.#at - 8, true);
  }
  string() {
    return new TextDecoder("utf-8", { fatal: true }).decode(this.raw());
  }
  raw() {
    const size = this.u32();
    const copy = this.#bytes.slice(this.#at, this.#at + size);
    this.#at += Math.ceil(size / 4) * 4;
    return copy;
  }
  numbers(Type) {
    const count = this.u32();
    const copy = this.#bytes.slice(this.#at, this.#at + count * 4);
    this.#at += count * 4;
    return new Type(copy.buffer);
  }
  get left() {
    return this.#bytes.length - this.#at;
  }
}

export function frame(op, id, payload = new Uint8Array(0)) {
  return new Writer()
    .u32(8 + payload.length)
    .u16(0)
    .u16(op)
    .u32(id)
    .raw(payload)
    .bytes();
}

export class ScorerError extends Error {
  constructor(code, message, details) {
    super(`${code}: ${message}`);
    this.code = code;
    this.details = details;
  }
}

/** The payload of a result; throws what an error frame says. */
export function open(bytes) {
  const reader = new Reader(bytes);
  const length = reader.u32();
  if (length + 4 !== bytes.length) throw new Error(`a frame of ${bytes.length} bytes says that ${length} follow`);
  const [kind, op, id] = [reader.u16(), reader.u16(), reader.u32()];
  if (kind === 2) throw new ScorerError(reader.string(), reader.string(), JSON.parse(reader.string()));
  return { kind, op, id, reader };
}

/** Plan: [{ parent, tokens, reads: [{ at, ids }] }]. */
export function encodePlan(nodes, { reuse = true, step = false, deadlineMs = 0 } = {}) {
  const out = new Writer()
    .u32((reuse ? 1 : 0) + (step ? 2 : 0))
    .f64(deadlineMs)
    .u32(nodes.length);
  for (const node of nodes) {
    out
      .i32(node.parent)
      .i32s(node.tokens)
      .u32((node.reads ?? []).length);
    for (const read of node.reads ?? [])
      out
        .u32(read.at)
        .u32(read.top ?? 0)
        .i32s(read.ids);
  }
  return out.bytes();
}

function decodeScore(reader) {
  const [done, evaluated, total] = [reader.u32(), reader.u32(), reader.u32()];
  if (done === 0) return { done: false, evaluated, total };
  const result = {
    done: true,
    evaluated,
    total,
    reused: reader.u32(),
    prefillMs: reader.f64(),
    branchesMs: reader.f64(),
    reads: [],
  };
  const count = reader.u32();
  for (let i = 0; i < count; i++) {
    result.reads.push({
      logSumExp: reader.f32(),
      logits: reader.numbers(Float32Array),
      top: { ids: reader.numbers(Int32Array), logits: reader.numbers(Float32Array) },
    });
  }
  if (reader.left !== 0) throw new Error("bytes are left over");
  return result;
}

/** The calls, over whatever carries frames: `exchange(bytes)` answers with a result or error frame. */
class Calls {
  #id = 0;
  async call(op, payload) {
    return open(await this.exchange(frame(OPS[op], ++this.#id, payload))).reader;
  }
  async hello() {
    return JSON.parse((await this.call("hello", new Writer().u32(2).bytes())).string());
  }
  async loadJson(options) {
    return JSON.parse((await this.call("load", new Writer().string(JSON.stringify(options)).bytes())).string());
  }
  async tokenize(text, special = false) {
    const reader = await this.call(
      "tokenize",
      new Writer()
        .u32(1)
        .u32(special ? 1 : 0)
        .string(text)
        .bytes(),
    );
    reader.u32();
    return [...reader.numbers(Int32Array)];
  }
  async score(nodes, options) {
    return decodeScore(await this.call("score", encodePlan(nodes, options)));
  }
  async step() {
    return decodeScore(await this.call("step"));
  }
  async hidden(tokens, positions) {
    const reader = await this.call("hidden", new Writer().i32s(tokens).i32s(positions).f64(0).bytes());
    return Array.from({ length: reader.u32() }, () => reader.numbers(Float32Array));
  }
  async pieces(tokens) {
    const reader = await this.call("pieces", new Writer().i32s(tokens).bytes());
    return Array.from({ length: reader.u32() }, () => reader.raw());
  }
  forget = () => this.call("forget");
  unload = () => this.call("unload");
  cancel = () => this.call("cancel");
}

export class ModuleClient extends Calls {
  /** What the module asks its host for; tests change these. */
  aborted = () => false;
  progress = [];
  read;
  #module;
  #workers = [];
  #file;

  static async start({ threads = 0, relaxed = false } = {}) {
    const client = new ModuleClient();
    const variant = `${relaxed ? "relaxed-" : ""}simd${threads > 0 ? "-threads" : ""}`;
    const compiled = await WebAssembly.compile(readFileSync(join(moduleFolder, `scorer.${variant}.wasm`)));
    const { default: create } = await import(join(moduleFolder, `scorer.${variant}.mjs`));
    client.threads = threads || 1;
    client.#module = await create({
      instantiateWasm(imports, receive) {
        WebAssembly.instantiate(compiled, imports).then((instance) => receive(instance, compiled));
        return {};
      },
      pthreadPoolSize: Math.max(1, threads - 1),
      createThread() {
        const worker = new Worker(join(moduleFolder, `scorer.${variant}.worker.mjs`), {
          name: "em-pthread",
          workerData: "em-pthread",
        });
        worker.unref();
        client.#workers.push(worker);
        return worker;
      },
      optioRead: (destination, offset) => client.read(destination, offset),
      optioAborted: () => client.aborted(),
      optioEmit: (bytes) => client.progress.push(bytes),
    });
    return client;
  }
  /** Bytes of the module's memory, which never shrinks. */
  heapBytes() {
    return this.#module.HEAPU8.length;
  }
  exchangeSync(bytes) {
    const module = this.#module;
    const pointer = module._optio_alloc(bytes.length);
    module.HEAPU8.set(bytes, pointer >>> 0);
    module._optio_call(pointer, bytes.length);
    module._optio_free(pointer);
    const start = module._optio_answer() >>> 0;
    return module.HEAPU8.slice(start, start + (module._optio_answer_bytes() >>> 0));
  }
  async exchange(bytes) {
    return this.exchangeSync(bytes);
  }
  async load(path, options = {}) {
    this.#file = openSync(path, "r");
    try {
      this.read = (destination, offset) => readSync(this.#file, destination, 0, destination.length, offset);
      return await this.loadJson({ sizeBytes: fstatSync(this.#file).size, threads: this.threads, ...options });
    } finally {
      closeSync(this.#file);
    }
  }
  async loadBytes(bytes, options = {}) {
    this.read = (destination, offset) => {
      const part = bytes.subarray(offset, offset + destination.length);
      destination.set(part);
      return part.length;
    };
    return this.loadJson({ sizeBytes: bytes.length, threads: this.threads, ...options });
  }
  async close() {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

export class NativeClient extends Calls {
  progress = [];
  exited;
  #child;
  #waiting = [];
  #received = Buffer.alloc(0);

  static async start({ threads = 2 } = {}) {
    const client = new NativeClient();
    client.threads = threads;
    client.#child = spawn(join(nativeFolder, "optio-scorer"), {
      stdio: ["pipe", "pipe", process.env.OPTIO_TEST_LOG ? "inherit" : "ignore"],
    });
    client.#child.stdout.on("data", (data) => client.#receive(data));
    client.#child.stdin.on("error", () => {});
    client.exited = new Promise((resolve) => client.#child.on("exit", (code, signal) => resolve({ code, signal })));
    client.exited.then(({ code, signal }) => {
      for (const { reject } of client.#waiting.splice(0))
        reject(new Error(`the native program ended: ${code} ${signal}`));
    });
    return client;
  }
  #receive(data) {
    this.#received = Buffer.concat([this.#received, data]);
    while (this.#received.length >= 12) {
      const size = this.#received.readUInt32LE(0) + 4;
      if (this.#received.length < size) return;
      const bytes = new Uint8Array(this.#received.subarray(0, size));
      this.#received = this.#received.subarray(size);
      if (bytes[4] === 3) this.progress.push(bytes);
      else this.#waiting.shift()?.resolve(bytes);
    }
  }
  send(bytes) {
    this.#child.stdin.write(bytes);
  }
  exchange(bytes) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.send(bytes);
    });
  }
  load(path, options = {}) {
    return this.loadJson({ path, threads: this.threads, ...options });
  }
  async close() {
    this.#child.stdin.end();
    await this.exited;
  }
  kill() {
    this.#child.kill("SIGKILL");
  }
}
