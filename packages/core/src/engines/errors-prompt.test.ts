import { describe, expect, it } from "vitest";
import { type ByteScorer, byteScorer } from "../../test/byte-scorer.js";
import { createDecider } from "../decider.js";
import { OptioError } from "../errors.js";
import { builtInProfile } from "../prompt/profile.js";
import { choice } from "../questions/choice.js";
import type { QuestionsInput } from "../questions/normalize.js";
import { noul } from "../questions/noul.js";
import type { ScoreResult } from "../scorer/scorer.js";
import type { StoredModel } from "../store/stored-models.js";
import type { Readout } from "./engine.js";
import { createLocalEngine, localModel } from "./local.js";

// The whole path of a decision over a scorer without a model: each failure as the caller of `decide` sees it.
const hint = expect.stringMatching(/^[`A-Z].{15,}[.)]$/u);
const chatml =
  "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}" +
  "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
const letter: Readout = { kind: "letter", orders: 1, prior: false, length: "total" };

interface Asked {
  readonly scorer: ByteScorer;
  readonly state?: string;
  readonly questions?: QuestionsInput;
  readonly readout?: Partial<Readout>;
  readonly minLabelMass?: number;
}

async function failure({ scorer, readout = {}, ...asked }: Asked): Promise<unknown> {
  const profile = builtInProfile("state-first");
  const model = { identity: { id: "bytes" }, contextTokens: 4_096, profile, readout: { ...letter, ...readout } };
  const start = () => createLocalEngine({ kind: "wasm", scorer, model });
  await using decider = createDecider({ engine: { kind: "wasm", start } });
  return await decider
    .decide({ state: "My bill is wrong.", questions: { angry: noul("Angry?") }, ...asked })
    .then(() => expect.fail("no error"), OptioError.from);
}

/** The scorer with its numbers changed on the way out. */
function scoring(change: (value: { logits: Float32Array; logSumExp: number }) => typeof value): ByteScorer {
  const scorer = byteScorer(chatml);
  const score = scorer.score.bind(scorer);
  scorer.score = async (plan, options): Promise<ScoreResult> => {
    const result = await score(plan, options);
    return { ...result, nodes: result.nodes.map((reads) => reads.map(change)) };
  };
  return scorer;
}

describe("a decision that the prompt cannot carry", () => {
  it("a state that is longer than the context", async () => {
    const error = await failure({ scorer: byteScorer(chatml, { contextTokens: 600 }), state: "x".repeat(600) });
    expect(error).toMatchObject({ code: "context_too_long", hint, details: { available: 600 } });
  });

  it("a model whose template cannot be rendered keeps what the renderer said", async () => {
    const error = await failure({ scorer: byteScorer("{{ messages | no_such_filter }}") });
    expect(error).toMatchObject({ code: "template_failed", hint, cause: expect.any(Error) });
  });

  it("a model without a template", async () => {
    const scorer = byteScorer(chatml);
    const model = { ...scorer.info.model, chatTemplates: {} };
    const error = await failure({ scorer: { ...scorer, info: { ...scorer.info, model } } });
    expect(error).toMatchObject({ code: "template_failed", hint });
  });

  it("more options than the vocabulary has labels, which the other readout takes", async () => {
    const many = {
      which: choice(
        "Which?",
        Array.from({ length: 60 }, (_, index) => `option ${index}`),
      ),
    };
    const scorer = byteScorer(chatml, { contextTokens: 100_000 });
    expect(await failure({ scorer, questions: many })).toMatchObject({
      code: "too_many_options",
      hint,
      details: { options: 60, labels: 52 },
    });
    const sequence = failure({ scorer, questions: many, readout: { kind: "sequence" } });
    await expect(sequence).rejects.toThrow("no error");
  });

  it("a vocabulary in which no letter stays alone", async () => {
    const scorer = byteScorer(chatml);
    const tokenize = scorer.tokenize.bind(scorer);
    scorer.tokenize = async (texts) =>
      (await tokenize(texts)).map((tokens, index) =>
        /assistant\n[A-Za-z]+$/.test(texts[index]?.text ?? "") ? Int32Array.of(...tokens.slice(0, -2), 9_999) : tokens,
      );
    expect(await failure({ scorer })).toMatchObject({ code: "labels_unusable", hint });
  });

  it("a control token in the text that cutting does not take apart", async () => {
    const scorer = byteScorer(chatml);
    const tokenize = scorer.tokenize.bind(scorer);
    // A vocabulary that reads one character of a text as the end of a turn.
    scorer.tokenize = async (texts) =>
      (await tokenize(texts)).map((tokens, index) =>
        texts[index]?.special === false ? tokens.map((id) => (id === "~".charCodeAt(0) ? 257 : id)) : tokens,
      );
    const error = await failure({ scorer, state: "a ~ b" });
    expect(error).toMatchObject({ code: "reserved_token", hint, message: expect.stringContaining("<|im_end|>") });
  });
});

describe("a scorer that gives bad numbers", () => {
  it("a logit that is no number", async () => {
    const broken = scoring(({ logits, logSumExp }) => ({ logits: logits.map(() => Number.NaN), logSumExp }));
    expect(await failure({ scorer: broken })).toMatchObject({ code: "non_finite_scores", hint });
  });

  it("fewer numbers than the plan asked for", async () => {
    const broken = scoring(({ logSumExp }) => ({ logits: new Float32Array(0), logSumExp }));
    expect(await failure({ scorer: broken })).toMatchObject({ code: "non_finite_scores", hint });
  });

  it("the same number everywhere", async () => {
    const broken = scoring(({ logits, logSumExp }) => ({ logits: logits.fill(1), logSumExp }));
    expect(await failure({ scorer: broken })).toMatchObject({ code: "degenerate_scores", hint });
  });

  it("options more probable than the whole vocabulary", async () => {
    const broken = scoring(({ logits }) => ({ logits, logSumExp: -100 }));
    for (const kind of ["letter", "sequence"] as const) {
      expect(await failure({ scorer: broken, readout: { kind } })).toMatchObject({
        code: "invalid_distribution",
        hint,
      });
    }
  });

  it("a model that thinks of something else, where the caller minds", async () => {
    const error = await failure({ scorer: byteScorer(chatml), minLabelMass: 0.9 });
    expect(error).toMatchObject({ code: "low_label_mass", hint, details: { question: "angry", minLabelMass: 0.9 } });
  });

  it("a scorer that forgets texts is a defect", async () => {
    const scorer = byteScorer(chatml);
    const tokenize = scorer.tokenize.bind(scorer);
    scorer.tokenize = async (texts) => (await tokenize(texts)).slice(0, 1);
    expect(await failure({ scorer })).toMatchObject({ code: "internal", hint });
  });
});

describe("a model that this engine cannot ask", () => {
  it("is refused by its entry, before its file is opened", () => {
    const stored = { id: "kev-0.8b", sha256: "0".repeat(64), entry: { kind: "decision" } } as StoredModel;
    expect(() => localModel(stored, {})).toThrow(expect.objectContaining({ code: "model_unsupported", hint }));
  });
});
