import { FrameKind, FrameWriter, Op, protocolVersion, readFrame } from "../dist/scorer/frame.js";

/**
 * Stands for the module that emscripten writes: the same exports, answering at once. Worker, transport, frames and readout
 * around it are the real ones. A token is a word or a sign; its logit is a function of its
 * number.
 */
// biome-ignore lint/style/noDefaultExport: emscripten's script has one.
export default async function createModule() {
  const memory = new Uint8Array(1 << 22);
  let answer = new Uint8Array();
  return {
    HEAPU8: memory,
    _optio_alloc: () => 8,
    _optio_free: () => undefined,
    _optio_call: (pointer, bytes) => {
      answer = answerTo(readFrame(memory.slice(pointer, pointer + bytes)));
      memory.set(answer, 1 << 21);
      return 0;
    },
    _optio_answer: () => 1 << 21,
    _optio_answer_bytes: () => answer.length,
  };
}

const vocabSize = 49_152;
const template =
  "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{{ '<|im_start|>assistant\n' }}";

const model = {
  architecture: "none",
  name: "none",
  fileType: "none",
  parameterCount: 0,
  sizeBytes: 0,
  vocabSize,
  embeddingLength: 1,
  trainedContext: 4_096,
  contextTokens: 4_096,
  bosToken: -1,
  eosToken: 0,
  eotToken: 0,
  addBos: false,
  chatTemplates: { default: template },
  truncatable: true,
  reservedTokens: [],
  metadata: {},
};

function answerTo({ op, id, payload }) {
  const result = new FrameWriter(FrameKind.result, op, id);
  if (op === Op.hello) {
    const hello = { protocol: protocolVersion, llamaRelease: "none", target: "wasm", variant: "simd", systemInfo: "" };
    return result.json(hello).finish();
  }
  if (op === Op.load) return result.json({ threads: 1, model }).finish();
  if (op === Op.tokenize) {
    const count = payload.u32();
    result.u32(count);
    for (let text = 0; text < count; text += 1) {
      payload.u32();
      result.i32Array((payload.string().match(/\w+|\W/g) ?? []).map(tokenOf));
    }
    return result.finish();
  }
  if (op === Op.score) return score(payload, result);
  return result.finish();
}

function tokenOf(word) {
  let hash = 7;
  for (let at = 0; at < word.length; at += 1) hash = (hash * 31 + word.charCodeAt(at)) % vocabSize;
  return hash;
}

function score(payload, result) {
  payload.u32();
  payload.f64();
  let tokens = 0;
  const reads = [];
  for (let nodes = payload.u32(); nodes > 0; nodes -= 1) {
    payload.i32();
    tokens += payload.i32Array().length;
    for (let count = payload.u32(); count > 0; count -= 1) {
      payload.u32();
      payload.u32();
      reads.push(Float32Array.from(payload.i32Array(), (token) => Math.sin(token)));
    }
  }
  result.u32(1).u32(tokens).u32(tokens).u32(0).f64(0).f64(0).u32(reads.length);
  for (const logits of reads) result.f32(10).f32Array(logits).i32Array([]).f32Array(new Float32Array());
  return result.finish();
}
