import type { ConfidenceFormula, Policy, Readout } from "@optio/core";
import { type Command, Option } from "commander";
import type { CodecName, EngineName, GpuLayers } from "../context.js";
import { duration } from "./duration-flag.js";
import { parseGpuLayers } from "./gpu-layers-flag.js";
import { share, wholeNumber } from "./number-flag.js";
import { parsePolicy } from "./policy-flag.js";

/** Flags of every command that decides. */
export interface EngineFlags {
  readonly model?: string;
  readonly engine: EngineName;
  readonly threads?: number;
  readonly context?: number;
  readonly gpuLayers?: GpuLayers;
  readonly profile?: string;
  readonly url?: string;
  readonly endpoint?: string;
  readonly codec?: CodecName;
  readonly region?: string;
  readonly component?: string;
  readonly coldStart?: number;
  readonly readout?: Readout["kind"];
  readonly orders?: "1" | "2";
  readonly prior?: boolean;
  readonly length?: Readout["length"];
  readonly policy?: Policy;
  readonly confidence?: ConfidenceFormula;
  readonly minLabelMass?: number;
  readonly timeout?: number;
  readonly reuse: boolean;
  readonly yes?: boolean;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

const modelGroup = "Model and engine:";
const elsewhereGroup = "Engines elsewhere (texts are sent there; a key is read from OPTIO_API_KEY):";
const readoutGroup = "How options are read (the model's own default, unless set):";
const resultGroup = "Result:";

/** @param json whether results can be written as JSON */
export function addEngineFlags(command: Command, { json = true }: { readonly json?: boolean } = {}): Command {
  const jsonFlag = new Option("--json", "JSON on stdout, errors too").helpGroup(resultGroup);
  const quietFlag = new Option("-q, --quiet", "no progress and no warnings on stderr").helpGroup(resultGroup);
  const common = command
    .addOption(
      new Option("-m, --model <model>", "id, path or address of a model (`optio models list`)")
        .env("OPTIO_MODEL")
        .helpGroup(modelGroup),
    )
    .addOption(
      new Option("--engine <engine>", "what computes")
        .choices(["wasm", "native", "remote", "sagemaker"])
        .default("wasm")
        .helpGroup(modelGroup),
    )
    .addOption(
      new Option("--threads <n>", "threads of the engine (default: one a processor)")
        .argParser(wholeNumber("--threads", 1, 64))
        .helpGroup(modelGroup),
    )
    .addOption(
      new Option("--context <tokens>", "tokens that text and questions may take (default: the model's)")
        .argParser(wholeNumber("--context", 64, 1_048_576))
        .helpGroup(modelGroup),
    )
    .addOption(
      new Option("--gpu-layers <n>", "layers on a graphics card: a number, all or auto (native engine; default: 0)")
        .argParser(parseGpuLayers)
        .helpGroup(modelGroup),
    )
    .addOption(new Option("--profile <file>", "prompt profile of your own").helpGroup(modelGroup))
    .addOption(
      new Option("--timeout <time>", "limit for one decision, such as 30s or 500ms")
        .argParser(duration("--timeout"))
        .helpGroup(modelGroup),
    )
    .addOption(
      new Option("--no-reuse", "use nothing of an earlier call, so that the numbers repeat exactly").helpGroup(
        modelGroup,
      ),
    )
    .addOption(
      new Option("-y, --yes", "download the model if it is not here yet, without asking").helpGroup(modelGroup),
    )
    .addOption(
      new Option("--url <address>", "System One server to ask (remote); a VPC endpoint (sagemaker)").helpGroup(
        elsewhereGroup,
      ),
    )
    .addOption(new Option("--endpoint <name>", "SageMaker endpoint to ask").helpGroup(elsewhereGroup))
    .addOption(
      new Option("--codec <codec>", "what its container speaks (default: systemone)")
        .choices(["systemone", "semif", "chat"])
        .helpGroup(elsewhereGroup),
    )
    .addOption(new Option("--region <region>", "of the endpoint (default: AWS_REGION)").helpGroup(elsewhereGroup))
    .addOption(
      new Option("--component <name>", "inference component of an endpoint that scales to zero").helpGroup(
        elsewhereGroup,
      ),
    )
    .addOption(
      new Option("--cold-start <time>", "how long to wait for it when it is at zero, such as 10m")
        .argParser(duration("--cold-start"))
        .helpGroup(elsewhereGroup),
    )
    .addOption(
      new Option("--readout <kind>", "by one letter an option, or by the option's whole text")
        .choices(["letter", "sequence"])
        .helpGroup(readoutGroup),
    )
    .addOption(
      new Option("--orders <n>", "1: options as written; 2: in reverse as well, averaged")
        .choices(["1", "2"])
        .helpGroup(readoutGroup),
    )
    .addOption(new Option("--prior", "correct for what the model says about an empty text").helpGroup(readoutGroup))
    .addOption(new Option("--no-prior", "do not correct for it").helpGroup(readoutGroup))
    .addOption(
      new Option("--length <how>", "sequence only: log-probabilities in total, or their mean")
        .choices(["total", "per-token"])
        .helpGroup(readoutGroup),
    )
    .addOption(
      new Option("--policy <bounds>", "such as accept=0.9,review=0.6: says what to do with each answer")
        .argParser(parsePolicy)
        .helpGroup(resultGroup),
    )
    .addOption(
      new Option("--confidence <formula>", "how confidence is computed")
        .choices(["scaled-max", "margin", "one-minus-entropy"])
        .helpGroup(resultGroup),
    )
    .addOption(
      new Option("--min-label-mass <share>", "fail when less of the model's probability falls on the options")
        .argParser(share("--min-label-mass"))
        .helpGroup(resultGroup),
    );
  return (json ? common.addOption(jsonFlag) : common).addOption(quietFlag);
}

/** What the flags change of the model's own readout. */
export function readoutOverrides(flags: EngineFlags): Partial<Readout> {
  return {
    ...(flags.readout === undefined ? {} : { kind: flags.readout }),
    ...(flags.orders === undefined ? {} : { orders: flags.orders === "1" ? 1 : 2 }),
    ...(flags.prior === undefined ? {} : { prior: flags.prior }),
    ...(flags.length === undefined ? {} : { length: flags.length }),
  };
}
