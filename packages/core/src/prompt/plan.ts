import type { Pass, Reading, Readout } from "../engines/engine.js";
import { OptioError } from "../errors.js";
import type { Question } from "../questions/question.js";
import type { ScorePlan, ScoreResult, Scorer } from "../scorer/scorer.js";
import type { LabelSource } from "./labels.js";
import { PlanBuilder, type PlanLeaf, type ReadRef } from "./plan-builder.js";
import type { PromptProfile } from "./profile.js";
import type { PromptFrame } from "./prompt-frame.js";
import { tokenizeContent } from "./reserved-tokens.js";
import { questionSection, shownText, stateSection } from "./sections.js";

/** One time that a question is put: over which state, and with the options in which order. */
export interface PassSpec {
  readonly question: Question;
  readonly stateText: string;
  readonly state: Pass["state"];
  /** For each place in the prompt, the index of the option shown there. */
  readonly order: readonly number[];
}

export interface PromptContext {
  readonly scorer: Scorer;
  readonly profile: PromptProfile;
  readonly frame: PromptFrame;
  readonly labels: LabelSource;
}

/** What to evaluate, and how its numbers become readings. */
export interface PromptPlan {
  readonly plan: ScorePlan;
  /** Tokens of the plan, shared ones counted once. */
  readonly tokens: number;
  /** For each spec, the nodes of the plan that its prompt goes through, in order of their index. */
  readonly nodesOf: readonly (readonly number[])[];
  /** Passes with their readings, in the order of the specs. */
  toPasses(result: ScoreResult): readonly Pass[];
}

/**
 * Turns passes into one tree of tokens. The prompt is head, sections and tail, each tokenised by itself; sections end
 * with a line break, so that sharing a prefix never changes a token. What passes have in common is evaluated once.
 *
 * @throws OptioError `context_too_long` with the tokens over the limit, `labels_unusable`, `too_many_options`, `reserved_token`
 */
export async function planPasses(
  context: PromptContext,
  readout: Readout,
  specs: readonly PassSpec[],
  signal: AbortSignal,
): Promise<PromptPlan> {
  const { scorer, profile, frame } = context;
  const labelCount = readout.kind === "letter" ? Math.max(...specs.map(({ question }) => question.options.length)) : 0;
  const labels = labelCount > 0 ? await context.labels(labelCount, signal) : [];
  const labelTexts = labels.map(({ text }) => text);

  const reply = profile.reply[readout.kind];
  const sections = specs.flatMap((spec) => [
    stateSection(profile, spec.stateText),
    questionSection(profile, readout.kind, spec, labelTexts),
  ]);
  const answers = readout.kind === "sequence" ? specs.flatMap(({ question }) => question.options.map(shownText)) : [];
  const inContext = answers.flatMap((answer) => [answer, frame.answerLead + answer]);
  const tokenize = await tokenizer(scorer, [...sections, reply, frame.answerLead, ...inContext], signal);
  const tokenizeAnswer = (text: string): Int32Array =>
    behind(tokenize(frame.answerLead), tokenize(frame.answerLead + text)) ?? tokenize(text);

  // Head and first section are what the next call may share.
  const builder = new PlanBuilder(scorer.info.model.truncatable ? {} : { rootRuns: 2 });
  const readers = specs.map((spec, index) => {
    const state = tokenize(sections[index * 2] ?? "");
    const question = tokenize(sections[index * 2 + 1] ?? "");
    const ordered = profile.layout === "state-first" ? [state, question] : [question, state];
    const leaf = builder.path([frame.head, ...ordered, tokenize(reply), frame.tail]);
    return readout.kind === "letter"
      ? letterReader(
          builder,
          leaf,
          spec,
          labels.map(({ token }) => token),
        )
      : sequenceReader(builder, leaf, spec, tokenizeAnswer, frame.endToken);
  });

  const { plan, longestPath, tokens } = builder.build();
  checkLength(longestPath, scorer.info.model.contextTokens);
  return {
    plan,
    tokens,
    nodesOf: readers.map(({ refs }) => nodesAbove(plan, refs)),
    toPasses: (result) =>
      specs.map(({ order, state }, index) => {
        const reader = readers[index];
        if (reader === undefined) throw new OptioError("internal", "A pass was planned without a reader.");
        return { order, state, reading: reader.read(result) };
      }),
  };
}

interface Reader {
  readonly refs: readonly (() => ReadRef)[];
  read(result: ScoreResult): Reading;
}

/** The nodes that are read, and all between them and the root. */
function nodesAbove({ nodes }: ScorePlan, refs: readonly (() => ReadRef)[]): readonly number[] {
  const found = new Set<number>();
  for (const ref of refs) {
    for (let node = ref().node; node >= 0 && !found.has(node); node = nodes[node]?.parent ?? -1) found.add(node);
  }
  return [...found].sort((a, b) => a - b);
}

function letterReader(builder: PlanBuilder, leaf: PlanLeaf, { order }: PassSpec, tokens: readonly number[]): Reader {
  const refs = order.map((_, place) => {
    const token = tokens[place];
    if (token === undefined) throw new OptioError("internal", `There is no label for place ${place}.`);
    return builder.read(leaf, token);
  });
  const read = (result: ScoreResult): Reading => {
    const logits = new Array<number>(order.length);
    let logSumExp = Number.NaN;
    order.forEach((option, place) => {
      const value = valueAt(result, refs[place]?.());
      logits[option] = value.logit;
      logSumExp = value.logSumExp;
    });
    return { kind: "letter", logits, logSumExp };
  };
  return { refs, read };
}

/**
 * Options share the tokens that they begin with. The end of the answer is part of each, so that none is only the
 * beginning of another.
 */
function sequenceReader(
  builder: PlanBuilder,
  leaf: PlanLeaf,
  { question }: PassSpec,
  tokenizeAnswer: (text: string) => Int32Array,
  endToken: number | undefined,
): Reader {
  const refs = question.options.map((option) => {
    let node = leaf;
    const tokens = [...tokenizeAnswer(shownText(option)), ...(endToken === undefined ? [] : [endToken])];
    return tokens.map((token, index) => {
      const ref = builder.read(node, token);
      if (index < tokens.length - 1) node = builder.extend(node, token);
      return ref;
    });
  });
  const read = (result: ScoreResult): Reading => ({
    kind: "sequence",
    tokenLogProbs: refs.map((tokens) =>
      tokens.map((ref) => {
        const { logit, logSumExp } = valueAt(result, ref());
        return logit - logSumExp;
      }),
    ),
  });
  return { refs: refs.flat(), read };
}

function valueAt(
  result: ScoreResult,
  ref: ReadRef | undefined,
): { readonly logit: number; readonly logSumExp: number } {
  const read = ref === undefined ? undefined : result.nodes[ref.node]?.[ref.read];
  const logit = ref === undefined ? undefined : read?.logits[ref.id];
  if (read === undefined || logit === undefined) {
    throw new OptioError("non_finite_scores", "The scorer's result lacks a number that the plan asked for.");
  }
  return { logit, logSumExp: read.logSumExp };
}

/**
 * What `joint` has behind `lead`; undefined where it does not begin with it, since a token spans the border. Some
 * vocabularies write the first word of a text otherwise than the same word behind a line break.
 */
function behind(lead: Int32Array, joint: Int32Array): Int32Array | undefined {
  return lead.every((id, at) => joint[at] === id) ? joint.subarray(lead.length) : undefined;
}

/** Tokenises different texts once, in one call, and looks them up. */
async function tokenizer(
  scorer: Scorer,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<(text: string) => Int32Array> {
  const different = [...new Set(texts)];
  const tokens = await tokenizeContent(scorer, different, signal);
  const byText = new Map(different.map((text, index) => [text, tokens[index]]));
  return (text) => {
    const found = byText.get(text);
    if (found === undefined) throw new OptioError("internal", "A text was not tokenised.");
    return found;
  };
}

function checkLength(needed: number, available: number): void {
  if (needed <= available) return;
  throw new OptioError(
    "context_too_long",
    `State and question take ${needed} tokens, ${needed - available} more than the ${available} that fit.`,
    { details: { needed, available, over: needed - available } },
  );
}
