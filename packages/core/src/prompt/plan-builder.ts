import { OptioError } from "../errors.js";
import type { PlanNode, ScorePlan } from "../scorer/scorer.js";

/** Where one number of a plan's result stands. */
export interface ReadRef {
  readonly node: number;
  readonly read: number;
  /** Place among the read's ids. */
  readonly id: number;
}

interface DraftRead {
  at: number;
  readonly ids: number[];
}

interface DraftNode {
  tokens: number[];
  readonly children: Map<string, DraftNode>;
  reads: DraftRead[];
  index: number;
}

/** A place in the tree at which reads can be asked for. */
export type PlanLeaf = DraftNode;

export interface PlanBuilderOptions {
  /**
   * For models whose memory cannot be cut back: the root ends at the first place where paths part or after this many runs of
   * a path, so that a later call which begins alike finds all of the root in use. Default: the root is as long as it can be.
   */
  readonly rootRuns?: number;
}

/** A fork that saves fewer tokens than this costs more than it saves: it is evaluated in a batch of its own. */
const worthwhileTokens = 16;

/** Builds the tree of a plan: runs of tokens that begin alike share their nodes. */
export class PlanBuilder {
  readonly #root: DraftNode = draft([]);
  readonly #rootRuns: number;
  /** A state is a run of every pass over it: its key is made once. */
  readonly #keys = new Map<Int32Array, string>();

  constructor({ rootRuns = Number.POSITIVE_INFINITY }: PlanBuilderOptions = {}) {
    this.#rootRuns = rootRuns;
  }

  /** Adds a path of token runs and returns its end. Equal runs at the same place become one node. */
  path(runs: readonly Int32Array[]): PlanLeaf {
    let node = this.#root;
    for (const run of runs) {
      if (run.length > 0) node = childOf(node, run, this.#keyOf(run));
    }
    return node;
  }

  #keyOf(run: Int32Array): string {
    let key = this.#keys.get(run);
    if (key === undefined) {
      key = run.join(",");
      this.#keys.set(run, key);
    }
    return key;
  }

  /** One more token below a node. */
  extend(node: PlanLeaf, token: number): PlanLeaf {
    return childOf(node, [token], String(token));
  }

  /** Asks for the logit of `token` as what follows the node's last token. The result is known once the plan is built. */
  read(node: PlanLeaf, token: number): () => ReadRef {
    const at = node.tokens.length - 1;
    if (at < 0) throw new OptioError("internal", "A read needs a token before it.");
    let read = node.reads.find((candidate) => candidate.at === at);
    if (read === undefined) {
      read = { at, ids: [] };
      node.reads.push(read);
    }
    const wanted = read;
    if (!wanted.ids.includes(token)) wanted.ids.push(token);
    return () => {
      const { node: owner, shift } = this.#owner(node);
      return {
        node: owner.index,
        read: owner.reads.findIndex((candidate) => candidate.at === wanted.at + shift),
        id: wanted.ids.indexOf(token),
      };
    };
  }

  /** The plan, with chains of single children joined and common beginnings shared, and the tokens of its longest path. */
  build(): { readonly plan: ScorePlan; readonly longestPath: number; readonly tokens: number } {
    this.#join(this.#root, this.#rootRuns);
    const nodes: PlanNode[] = [];
    let longestPath = 0;
    const visit = (node: DraftNode, parent: number, before: number) => {
      node.index = nodes.length;
      const length = before + node.tokens.length;
      longestPath = Math.max(longestPath, length);
      const reads = node.reads.map(({ at, ids }) => ({ at, ids: Int32Array.from(ids) }));
      nodes.push({ parent, tokens: Int32Array.from(node.tokens), reads });
      for (const child of node.children.values()) visit(child, node.index, length);
    };
    visit(this.#root, -1, 0);
    return { plan: { nodes }, longestPath, tokens: nodes.reduce((sum, node) => sum + node.tokens.length, 0) };
  }

  /** Nodes that were joined into an ancestor, with how far their tokens moved. */
  readonly #joined = new Map<DraftNode, { readonly into: DraftNode; readonly shift: number }>();

  #join(node: DraftNode, maxRuns = Number.POSITIVE_INFINITY): void {
    for (let runs = 0; ; runs += 1) {
      const open = node === this.#root && runs < maxRuns;
      shareBeginnings(node, open);
      const [only, ...others] = node.children.values();
      // The root is what is kept for the next call: it must not take in what only one option or question has and reads.
      const parts = only === undefined || others.length > 0;
      if (parts || runs >= maxRuns || (node === this.#root && only.reads.length > 0)) break;
      const shift = node.tokens.length;
      node.tokens.push(...only.tokens);
      for (const { at, ids } of only.reads) node.reads.push({ at: at + shift, ids });
      node.children.clear();
      for (const [key, child] of only.children) node.children.set(key, child);
      this.#joined.set(only, { into: node, shift });
    }
    for (const child of node.children.values()) this.#join(child);
  }

  #owner(node: DraftNode): { readonly node: DraftNode; readonly shift: number } {
    let owner = node;
    let shift = 0;
    for (let step = this.#joined.get(owner); step !== undefined; step = this.#joined.get(owner)) {
      owner = step.into;
      shift += step.shift;
    }
    return { node: owner, shift };
  }
}

function draft(tokens: number[]): DraftNode {
  return { tokens, children: new Map(), reads: [], index: -1 };
}

function keyOf(tokens: readonly number[]): string {
  return tokens.join(",");
}

function childOf(node: DraftNode, tokens: ArrayLike<number>, key: string): DraftNode {
  const existing = node.children.get(key);
  if (existing !== undefined) return existing;
  const child = draft(Array.from(tokens));
  node.children.set(key, child);
  return child;
}

/**
 * Puts a node before children that begin with the same tokens, where that is worth it.
 *
 * @param open whether the node takes in what all its children begin with, which then costs no batch
 */
function shareBeginnings(node: DraftNode, open: boolean): void {
  const children = [...node.children.values()];
  if (children.length < 2) return;
  node.children.clear();
  for (const child of grouped(children, 0, open)) node.children.set(keyOf(child.tokens), child);
}

/** The nodes as they should be siblings; all agree on their first `agreed` tokens. */
function grouped(nodes: readonly DraftNode[], agreed: number, open: boolean): readonly DraftNode[] {
  const byNext = new Map<number | undefined, DraftNode[]>();
  for (const node of nodes) {
    // The last token stays where it is: what is read behind it belongs to the node.
    const next = agreed < node.tokens.length - 1 ? node.tokens[agreed] : undefined;
    const alike = byNext.get(next);
    if (alike === undefined) byNext.set(next, [node]);
    else alike.push(node);
  }
  return [...byNext].flatMap(([next, alike]) => {
    if (next === undefined || alike.length === 1) return alike;
    const length = commonLength(alike, agreed + 1);
    const least = open && alike.length === nodes.length && agreed === 0 ? 1 : worthwhileTokens;
    if ((alike.length - 1) * length < least) return grouped(alike, length, false);
    const shared = draft(alike[0]?.tokens.slice(0, length) ?? []);
    for (const node of alike) {
      node.tokens = node.tokens.slice(length);
      for (const read of node.reads) read.at -= length;
    }
    for (const rest of grouped(alike, 0, false)) shared.children.set(keyOf(rest.tokens), rest);
    return [shared];
  });
}

/** How many tokens all nodes begin with alike, their last ones left out; they are known to agree on `agreed`. */
function commonLength(nodes: readonly DraftNode[], agreed: number): number {
  const [first] = nodes;
  const limit = Math.min(...nodes.map(({ tokens }) => tokens.length - 1));
  let length = agreed;
  while (length < limit && nodes.every(({ tokens }) => tokens[length] === first?.tokens[length])) length += 1;
  return length;
}
