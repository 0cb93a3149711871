import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { type Decider, OptioError, type Policy, type StateInput } from "@optio/core";
import { questionsFromWire } from "@optio/core/wire";
import type { ListedModel } from "../models/model-list.js";
import { errorJson } from "../output/json.js";
import { version } from "../version.js";
import { type ToolCall, toolProgress } from "./tool-progress.js";
import { decideInput, decideManyInput, decideManyOutput, decideOutput, listModelsOutput } from "./tool-schemas.js";

export interface McpServerSettings {
  /** Closed by whoever made it. */
  readonly decider: Decider;
  /** What the decider asks, as `list_models` tells it. */
  readonly engine: { readonly kind: string; readonly model: string | null };
  readonly listModels: () => Promise<readonly ListedModel[]>;
  /** As for `decide`. */
  readonly reuse: boolean;
  /** Milliseconds for one call; none by default. */
  readonly timeoutMs?: number;
}

const instructions =
  "Answers questions with a known set of outcomes by the probability that a small language model gives to each. Use it to sort, " +
  "route or flag texts; it does not write. Look at confidence and action before you act on an answer.";

/** An MCP server with the tools `decide`, `decide_many` and `list_models`; not connected yet. */
export function createMcpServer(settings: McpServerSettings): McpServer {
  const { decider, reuse, timeoutMs } = settings;
  const server = new McpServer({ name: "optio", title: "optio", version }, { instructions });
  const annotations = { readOnlyHint: true, openWorldHint: false };

  const common = (call: ToolCall, { questions, accept, review }: Asked, states: number) => {
    const onProgress = toolProgress(call, states);
    return {
      questions: questionsFromWire(questions),
      ...policyOf(accept, review),
      reuse,
      signal: call.signal,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(onProgress === undefined ? {} : { onProgress }),
    };
  };

  server.registerTool(
    "decide",
    {
      title: "Decide about a state",
      description:
        "Answers questions about one text or JSON value: the probability of each option, a confidence, and what thresholds say to do.",
      inputSchema: decideInput,
      outputSchema: decideOutput,
      annotations,
    },
    ({ state, ...asked }, call) =>
      result(call, async () => ({
        // Whatever it is: the decider checks it.
        ...(await decider.decide({ state: state as StateInput, ...common(call, asked, 1) })),
      })),
  );

  server.registerTool(
    "decide_many",
    {
      title: "Decide about many states",
      description: "Answers the same questions about each of many states. A state that fails does not harm the others.",
      inputSchema: decideManyInput,
      outputSchema: decideManyOutput,
      annotations,
    },
    ({ states, ...asked }, call) =>
      result(call, async () => {
        const count = Array.isArray(states) ? states.length : 1;
        const many = await decider.decideMany({ states: states as StateInput[], ...common(call, asked, count) });
        const results = many.results.map((settled) =>
          settled.status === "fulfilled" ? settled : { status: settled.status, error: errorJson(settled.reason) },
        );
        return { ...many, results };
      }),
  );

  server.registerTool(
    "list_models",
    {
      title: "List models",
      description: "The models that optio knows, which of them are on this machine, and what this server decides with.",
      outputSchema: listModelsOutput,
      annotations,
    },
    (call) =>
      result(call, async () => ({
        engine: settings.engine,
        // Where files lie on this machine is nothing that a model elsewhere needs to know.
        models: (await settings.listModels()).map(({ path, ...model }) => model),
      })),
  );
  return server;
}

interface Asked {
  readonly questions?: unknown;
  readonly accept?: unknown;
  readonly review?: unknown;
}

/** The thresholds of a call, which the decider checks; without any, those of the command line hold. */
function policyOf(accept: unknown, review: unknown): { readonly policy?: Policy } {
  if (accept === undefined && review === undefined) return {};
  if (accept === undefined) {
    throw new OptioError("invalid_setting", "There is a review threshold without accept.", {
      hint: "Pass accept as well, or accept alone.",
      details: { field: "accept" },
    });
  }
  return { policy: { accept, review: review ?? accept } as Policy };
}

async function result(call: ToolCall, work: () => Promise<Record<string, unknown>>): Promise<CallToolResult> {
  try {
    const structuredContent = await work();
    return { structuredContent, content: [{ type: "text", text: JSON.stringify(structuredContent) }] };
  } catch (error) {
    // Nobody waits for the answer to a cancelled call.
    if (call.signal.aborted) throw error;
    // As text alone: structured content would have to be of the tool's output schema.
    const text = JSON.stringify({ error: errorJson(OptioError.from(error)) });
    return { isError: true, content: [{ type: "text", text }] };
  }
}
