import type { DecisionRequest, Engine, EngineCallOptions, RawDecision } from "../engines/engine.js";
import { type ErrorCode, OptioError } from "../errors.js";
import { choice } from "../questions/choice.js";
import { noul } from "../questions/noul.js";
import type { NamedQuestion } from "../questions/question.js";
import { score } from "../questions/score.js";
import type { Settled } from "../settled.js";
import { combinePasses } from "../trust/combine-passes.js";

/** One thing that every engine must do. */
export interface EngineCheck {
  /** The behaviour, as a test's name. */
  readonly name: string;
  /** Rejects, saying what was seen, when the engine does otherwise. */
  readonly check: () => Promise<void>;
}

/**
 * What every engine must do, as checks for any test runner.
 *
 * @param make starts a new engine; each check closes its own
 * @param gaps checks that this engine cannot pass, by name, each with the reason; they are left out
 * @throws OptioError `invalid_setting` for a gap that is the name of no check
 *
 * @example
 * for (const { name, check } of engineContract(() => wasm().start({}))) it(name, check);
 */
export function engineContract(
  make: () => Promise<Engine>,
  gaps: Readonly<Record<string, string>> = {},
): readonly EngineCheck[] {
  const unknown = Object.keys(gaps).find((gap) => !checks.some(({ name }) => name === gap));
  if (unknown !== undefined) throw new OptioError("invalid_setting", `No check is called "${unknown}".`);
  return checks
    .filter(({ name }) => !Object.hasOwn(gaps, name))
    .map(({ name, check }) => ({
      name,
      check: async () => {
        const engine = await make();
        try {
          await check(engine);
        } finally {
          await engine.close();
        }
      },
    }));
}

const questions: readonly NamedQuestion[] = [
  {
    id: "team",
    question: choice("Which team should answer the ticket?", [
      ["billing", "Invoices, payments and refunds"],
      ["technical", "Errors and outages"],
      ["praise", "Thanks and good wishes"],
      ["other", null],
    ]),
  },
  { id: "angry", question: noul("Is the customer angry?", { true: "Insults, threats or capitals" }) },
  { id: "urgency", question: score("How urgent is the ticket?", ["It can wait", "This week", "Today"]) },
];

const text = "Since this morning every export fails with error 500, and my customers are waiting for their reports.";

function request(overrides: Partial<DecisionRequest> = {}): DecisionRequest {
  return { state: { kind: "text", text }, questions, readout: {}, reuse: false, ...overrides };
}

function options(overrides: Partial<EngineCallOptions> = {}): EngineCallOptions {
  return { signal: new AbortController().signal, timeoutMs: Number.POSITIVE_INFINITY, ...overrides };
}

/** Long enough that no engine answers within a microsecond. */
const longRequest = request({ state: { kind: "text", text: `${text} `.repeat(5) } });

const checks: readonly { readonly name: string; readonly check: (engine: Engine) => Promise<void> }[] = [
  {
    name: "answers every question, in order, with numbers that make a distribution",
    check: async (engine) => {
      numbersOf(await engine.decide(request(), options()), questions);
    },
  },
  {
    name: "answers a single question",
    check: async (engine) => {
      const one = questions.slice(0, 1);
      numbersOf(await engine.decide(request({ questions: one }), options()), one);
    },
  },
  {
    name: "decides about JSON and about messages",
    check: async (engine) => {
      const value = { subject: "Export fails", body: text, tags: ["export", 500] };
      numbersOf(await engine.decide(request({ state: { kind: "json", value } }), options()), questions);
      const messages = [
        { role: "user", content: text },
        { role: "assistant", content: "Which export do you mean?" },
        { role: "user", content: "All of them!" },
      ];
      numbersOf(await engine.decide(request({ state: { kind: "messages", messages } }), options()), questions);
    },
  },
  {
    name: "uses a readout that the caller names, and says which it used",
    check: async (engine) => {
      if (engine.info.defaultReadout === undefined) return;
      const { orders, prior } = engine.info.defaultReadout;
      const readout = { orders: orders === 1 ? 2 : 1, prior: !prior } as const;
      const decision = await engine.decide(request({ readout }), options());
      const used = decision.readout;
      expect(used?.orders === readout.orders, `the readout has ${used?.orders} orders`);
      expect(used.prior === readout.prior, `the readout has prior: ${used.prior}`);
      numbersOf(decision, questions);
    },
  },
  {
    name: "repeats its numbers exactly without reuse, whatever came between",
    check: async (engine) => {
      const first = numbersOf(await engine.decide(request(), options()), questions);
      const other = request({ state: { kind: "text", text: "Thank you, everything works again." }, reuse: true });
      await engine.decide(other, options());
      const second = numbersOf(await engine.decide(request(), options()), questions);
      expect(
        JSON.stringify(first) === JSON.stringify(second),
        `${JSON.stringify(first)} became ${JSON.stringify(second)}`,
      );
    },
  },
  {
    name: "decides about many states, if it can, in their order and without reuse exactly as about each",
    check: async (engine) => {
      if (engine.decideMany === undefined) return;
      const states = [text, "Thank you, everything works again.", text].map(
        (each) => ({ kind: "text", text: each }) as const,
      );
      for (const reuse of [true, false]) {
        const outcomes: Settled<RawDecision>[] = [];
        const many = { states, questions, readout: {}, reuse };
        for await (const outcome of engine.decideMany(many, options())) outcomes.push(outcome);
        expect(outcomes.length === states.length, `${outcomes.length} outcomes of ${states.length} states`);
        for (const [index, outcome] of outcomes.entries()) {
          expect(outcome.status === "fulfilled", `state ${index} failed`);
          const numbers = JSON.stringify(numbersOf(outcome.value, questions));
          if (reuse) continue;
          const alone = await engine.decide(request({ state: states[index] ?? longRequest.state }), options());
          const expected = JSON.stringify(numbersOf(alone, questions));
          expect(numbers === expected, `${numbers} of state ${index} is ${expected} alone`);
        }
      }
    },
  },
  {
    name: "counts tokens and milliseconds",
    check: async (engine) => {
      const { usage, timings } = await engine.decide(request(), options());
      for (const [name, value] of Object.entries(usage)) {
        expect(Number.isInteger(value) && value >= 0, `${name} is ${value}`);
      }
      expect(usage.outputTokens === 0, `outputTokens is ${usage.outputTokens}`);
      for (const [name, value] of Object.entries(timings)) {
        expect(Number.isFinite(value) && value >= 0, `${name} is ${value}`);
      }
    },
  },
  {
    name: "reports progress that does not go back or beyond its end",
    check: async (engine) => {
      let last = 0;
      const seen: string[] = [];
      const onProgress: EngineCallOptions["onProgress"] = (progress) => {
        if (progress.phase !== "evaluate") return;
        const { evaluatedTokens, totalTokens } = progress;
        if (evaluatedTokens < last || evaluatedTokens > totalTokens)
          seen.push(`${evaluatedTokens} of ${totalTokens} after ${last}`);
        last = evaluatedTokens;
      };
      await engine.decide(longRequest, options({ onProgress }));
      expect(seen.length === 0, seen.join("; "));
    },
  },
  {
    name: "rejects with the reason of a signal that has fired already",
    check: async (engine) => {
      const reason = new OptioError("internal", "The reason of the test.");
      await rejectsWith(engine.decide(request(), options({ signal: AbortSignal.abort(reason) })), reason);
      numbersOf(await engine.decide(request(), options()), questions);
    },
  },
  {
    name: "rejects with the signal's reason when aborted during a call, and answers the next",
    check: async (engine) => {
      const reason = new OptioError("internal", "The reason of the test.");
      const controller = new AbortController();
      const pending = engine.decide(longRequest, options({ signal: controller.signal }));
      controller.abort(reason);
      await rejectsWith(pending, reason);
      numbersOf(await engine.decide(request(), options()), questions);
    },
  },
  {
    name: "ends at its deadline, and answers the next",
    check: async (engine) => {
      await failsWith(engine.decide(longRequest, options({ timeoutMs: 0.001 })), "timeout");
      numbersOf(await engine.decide(request(), options({ timeoutMs: 3_600_000 })), questions);
    },
  },
  {
    name: "refuses calls after it was closed",
    check: async (engine) => {
      await engine.close();
      await failsWith(engine.decide(request(), options()), "engine_closed");
    },
  },
  {
    name: "rejects a running call when it is closed",
    check: async (engine) => {
      const pending = failsWith(engine.decide(longRequest, options()), "engine_closed");
      await Promise.all([pending, engine.close()]);
    },
  },
  {
    name: "can be closed twice, also at the same time",
    check: async (engine) => {
      await Promise.all([engine.close(), engine.close()]);
      await engine.close();
    },
  },
];

/** The probabilities of each question; throws unless they are a distribution over its options. */
function numbersOf(decision: RawDecision, asked: readonly NamedQuestion[]): readonly (readonly number[])[] {
  const { questions: answers, readout } = decision;
  expect(answers.length === asked.length, `${answers.length} answers to ${asked.length} questions`);
  return asked.map(({ question }, index) => {
    const { probabilities } = combinePasses(answers[index] ?? { passes: [] }, readout, question.options.length);
    question.toAnswer(probabilities);
    return probabilities;
  });
}

function expect(condition: boolean, seen: string): asserts condition {
  if (!condition) throw new OptioError("internal", `The engine breaks its contract: ${seen}.`);
}

async function rejectsWith(call: Promise<unknown>, reason: unknown): Promise<void> {
  const error = await rejectionOf(call);
  expect(error === reason, `rejected with ${String(error)} instead of the signal's reason`);
}

async function failsWith(call: Promise<unknown>, code: ErrorCode): Promise<void> {
  const error = await rejectionOf(call);
  expect(OptioError.isInstance(error, code), `rejected with ${String(error)} instead of ${code}`);
}

async function rejectionOf(call: Promise<unknown>): Promise<unknown> {
  const outcome = await call.then(
    () => ({ error: undefined, answered: true }),
    (error: unknown) => ({ error, answered: false }),
  );
  expect(!outcome.answered, "answered a call that should have failed");
  return outcome.error;
}
