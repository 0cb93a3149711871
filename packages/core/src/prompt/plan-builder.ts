import { OptioError } from "../errors.js";
import type { PlanNode, ScorePlan } from "../scorer/scorer.js";

/** Where one number of a plan's result stands. */
export interface ReadRef {
  readonly node: number;
  readonly read: number;
  /** Place among the read's ids. */
  readonly id: number;
}

interface DraftNode {
  readonly tokens: number[];
  readonly children: Map<string, DraftNode>;
  readonly reads: { readonly at: number; readonly ids: number[] }[];
  index: number;
}

/** A place in the tree at which reads can be asked for. */
export type PlanLeaf = DraftNode;

/** Builds the tree of a plan: runs of tokens that begin alike share their nodes. */
export class PlanBuilder {
  readonly #root: DraftNode = draft([]);

  /** Adds a path of token runs and returns its end. Equal runs at the same place become one node. */
  path(runs: readonly Int32Array[]): PlanLeaf {
    let node = this.#root;
    for (const run of runs) {
      if (run.length > 0) node = childOf(node, [...run]);
    }
    return node;
  }

  /** One more token below a node. */
  extend(node: PlanLeaf, token: number): PlanLeaf {
    return childOf(node, [token]);
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

  /** The plan, with chains of single children joined, and the tokens of its longest path. */
  build(): { readonly plan: ScorePlan; readonly longestPath: number; readonly tokens: number } {
    this.#join(this.#root);
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

  #join(node: DraftNode): void {
    for (;;) {
      const [only, ...others] = node.children.values();
      // The root is what is kept for the next call: it must not take in what only one option or question has and reads.
      if (only === undefined || others.length > 0 || (node === this.#root && only.reads.length > 0)) break;
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

function childOf(node: DraftNode, tokens: number[]): DraftNode {
  const key = tokens.join(",");
  const existing = node.children.get(key);
  if (existing !== undefined) return existing;
  const child = draft(tokens);
  node.children.set(key, child);
  return child;
}
