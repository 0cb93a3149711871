import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js";
import type { ManyProgress } from "@optio/core";
import { progressStep, type Step } from "../output/progress-line.js";

export type ToolCall = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Where each phase lies in the work on one state, 0 to 1. */
const spans: Readonly<Record<string, readonly [from: number, to: number]>> = {
  queue: [0, 0],
  download: [0, 0.4],
  verify: [0.4, 0.5],
  load: [0.5, 0.7],
  evaluate: [0.7, 0.99],
};

/**
 * Tells the client how far a call is, if it asked for that. MCP wants progress that only grows, so phases have their places in a
 * whole; what would not grow is not sent.
 *
 * @param states how many states the call is about
 */
export function toolProgress(call: ToolCall, states: number): ((progress: ManyProgress) => void) | undefined {
  const progressToken = call._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let done = 0;
  let told = -1;
  return (report) => {
    if (report.phase === "states") done = report.done;
    const step: Step =
      report.phase === "states"
        ? { phase: "states", text: `${done} of ${report.total} states done` }
        : progressStep(report);
    const [from, to] = spans[step.phase] ?? [0, 0];
    const progress = done + from + (to - from) * (step.share ?? 0);
    if (progress <= told) return;
    told = progress;
    const params = { progressToken, progress, total: Math.max(1, states), message: step.text };
    // A client that went away is noticed by the transport.
    call.sendNotification({ method: "notifications/progress", params }).catch(() => undefined);
  };
}
