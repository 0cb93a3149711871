import { createDecider, type Decider, type EngineInfo, type Readout } from "@optio/core";
import { ensureModel } from "./ensure-model.js";
import { type EngineFlags, readoutOverrides } from "./flags/engine-flags.js";
import { engineRequest } from "./flags/engine-request.js";
import { ProgressLine } from "./output/progress-line.js";
import type { CommandHost } from "./program.js";

/** An engine that has started, and what the flags ask of it. */
export interface Session extends AsyncDisposable {
  readonly decider: Decider;
  readonly engine: EngineInfo;
  /** The model's own readout with the changes of the flags; absent for an engine that reads in a way of its own. */
  readonly readout?: Readout;
  readonly progress: ProgressLine;
}

/**
 * Starts the engine that the flags describe; a model that is not here yet is downloaded if the user agrees.
 *
 * @throws OptioError `invalid_setting` when nobody can be asked; those of the engine's start.
 */
export async function openSession(flags: EngineFlags, host: CommandHost): Promise<Session> {
  const { context, signal } = host;
  const progress = new ProgressLine(context.stderr, {
    now: context.now,
    env: context.env,
    silent: flags.quiet ?? false,
  });
  const { decider, overrides } = await openDecider(flags, host);
  try {
    const engine = await decider.ready({ signal, onProgress: progress.report });
    return {
      decider,
      engine,
      ...(engine.defaultReadout === undefined ? {} : { readout: { ...engine.defaultReadout, ...overrides } }),
      progress,
      [Symbol.asyncDispose]: () => decider.close(),
    };
  } catch (error) {
    await decider.close();
    throw error;
  } finally {
    progress.clear();
  }
}

/**
 * The decider that the flags describe, with an engine that starts at its first use. A model that is not here yet is downloaded
 * then, if the user agrees now.
 *
 * @throws OptioError `invalid_setting` when nobody can be asked
 */
export async function openDecider(
  flags: EngineFlags,
  { context }: CommandHost,
): Promise<{ readonly decider: Decider; readonly overrides: Partial<Readout> }> {
  const request = await engineRequest(flags);
  // Models of other machines are their business.
  if (request.kind === "wasm" || request.kind === "native") {
    await ensureModel(request.model, flags.yes ?? false, context);
  }

  const overrides = readoutOverrides(flags);
  const decider = createDecider({
    engine: context.engine(request),
    readout: overrides,
    ...(flags.policy === undefined ? {} : { policy: flags.policy }),
    ...(flags.confidence === undefined ? {} : { confidence: flags.confidence }),
    ...(flags.minLabelMass === undefined ? {} : { minLabelMass: flags.minLabelMass }),
  });
  return { decider, overrides };
}
