import type { Readout } from "@optio/core";
import type { EngineFlags } from "../flags/engine-flags.js";
import type { Session } from "../session.js";
import type { Data, DataFlags } from "./read-tasks.js";
import type { RunSettings } from "./results-file.js";

/** What makes rows of two runs comparable. */
export function runSettings(data: Data, flags: EngineFlags & DataFlags, { engine, readout }: Session): RunSettings {
  const { profile } = engine;
  return {
    data: data.sha256,
    ...csvSettings(flags),
    model: engine.model.sha256 ?? engine.model.id,
    readout: readoutText(readout),
    profile: profile === undefined ? "none" : `${profile.id} ${profile.version} ${profile.sha256}`,
    engine: `${engine.kind} ${engine.backend}`,
    confidence: flags.confidence ?? "default",
    policy: flags.policy === undefined ? "none" : `accept ${flags.policy.accept}, review ${flags.policy.review}`,
    minLabelMass: flags.minLabelMass === undefined ? "none" : String(flags.minLabelMass),
  };
}

function csvSettings({ instructions, textColumn, labelColumn, familyColumn, options }: DataFlags): RunSettings {
  if (instructions === undefined) return {};
  return {
    instructions,
    columns: [textColumn, labelColumn, ...(familyColumn === undefined ? [] : [familyColumn])].join(", "),
    options: options?.join(", ") ?? "by first appearance",
  };
}

/** The readout in words: `letter, two orders, prior-corrected`. */
export function readoutText(readout: Readout | undefined): string {
  if (readout === undefined) return "the engine's own readout";
  const { kind, orders, prior, length } = readout;
  const how = kind === "sequence" ? `sequence ${length}` : "letter";
  return `${how}, ${orders === 1 ? "one order" : "two orders"}, ${prior ? "prior-corrected" : "no prior"}`;
}
