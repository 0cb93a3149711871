import { describe, expect, it } from "vitest";
import { type ByteScorer, byteScorer } from "../../test/byte-scorer.js";
import { builtInProfile } from "../prompt/profile.js";
import { choice } from "../questions/choice.js";
import { noul } from "../questions/noul.js";
import { engineContract } from "../testing/engine-contract.js";
import type { DecisionRequest, Readout } from "./engine.js";
import { createLocalEngine, localModel } from "./local.js";

const chatml =
  "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}" +
  "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
const readout: Readout = { kind: "letter", orders: 2, prior: true, length: "total" };

function engineOn(scorer: ByteScorer) {
  return createLocalEngine({
    kind: "wasm",
    scorer,
    model: { identity: { id: "bytes" }, contextTokens: 4_096, profile: builtInProfile("state-first"), readout },
  });
}

const request = (overrides: Partial<DecisionRequest> = {}): DecisionRequest => ({
  state: { kind: "text", text: "My bill is wrong." },
  questions: [
    { id: "team", question: choice("Which team?", ["billing", "technical", "sales"]) },
    { id: "angry", question: noul("Angry?") },
  ],
  readout: {},
  reuse: true,
  ...overrides,
});
const call = { signal: new AbortController().signal, timeoutMs: Number.POSITIVE_INFINITY };

describe("local engine", () => {
  it("makes a pass an order, over the state and over the empty state", async () => {
    const engine = await engineOn(byteScorer(chatml));
    const { questions } = await engine.decide(request(), call);
    expect(questions.map(({ passes }) => passes.map(({ order, state }) => [state, ...order].join(" ")))).toEqual([
      ["actual 0 1 2", "actual 2 1 0", "empty 0 1 2", "empty 2 1 0"],
      ["actual 0 1", "actual 1 0", "empty 0 1", "empty 1 0"],
    ]);
  });

  it("measures the prior of a question once", async () => {
    const scorer = byteScorer(chatml);
    const engine = await engineOn(scorer);
    const first = await engine.decide(request(), call);
    const again = await engine.decide(request({ state: { kind: "text", text: "Another state." } }), call);
    expect([first.usage.reusedPriors, again.usage.reusedPriors]).toEqual([0, 4]);
    expect(scorer.calls.score).toBe(2 + 1);
    expect(again.questions[0]?.passes.slice(2)).toEqual(first.questions[0]?.passes.slice(2));
  });

  it("measures it anew when the options or the readout are others, and in strict mode", async () => {
    const scorer = byteScorer(chatml);
    const engine = await engineOn(scorer);
    await engine.decide(request(), call);
    const others = [
      request({ questions: [{ id: "team", question: choice("Which team?", ["billing", "technical"]) }] }),
      request({ readout: { kind: "sequence" } }),
      request({ reuse: false }),
    ];
    for (const other of others) expect((await engine.decide(other, call)).usage.reusedPriors).toBe(0);
  });

  it("takes one pass when neither orders nor prior are wanted", async () => {
    const engine = await engineOn(byteScorer(chatml));
    const raw = await engine.decide(request({ readout: { orders: 1, prior: false } }), call);
    expect(raw.questions.map(({ passes }) => passes.length)).toEqual([1, 1]);
    expect(raw.readout).toEqual({ kind: "letter", orders: 1, prior: false, length: "total" });
  });

  it("closes the scorer when it cannot be prepared", async () => {
    const scorer = byteScorer("no messages here");
    let closed = false;
    scorer.close = async () => {
      closed = true;
    };
    await expect(engineOn(scorer)).rejects.toMatchObject({ code: "template_failed" });
    expect(closed).toBe(true);
  });

  it("refuses decision models by name", () => {
    const entry = { kind: "decision" } as NonNullable<Parameters<typeof localModel>[0]["entry"]>;
    expect(() => localModel({ id: "kev-0.8b", sha256: "", entry } as Parameters<typeof localModel>[0], {})).toThrow(
      expect.objectContaining({ code: "model_unsupported" }),
    );
  });
});

const instant = "the test's scorer answers at once; the real one runs this in wasm.model.test.ts";
const gaps = {
  "rejects with the signal's reason when aborted during a call, and answers the next": instant,
  "ends at its deadline, and answers the next": instant,
  "rejects a running call when it is closed": instant,
};
describe("engine contract", () => {
  for (const { name, check } of engineContract(() => engineOn(byteScorer(chatml)), gaps)) it(name, check);
});
