import type { Policy } from "@optio/core";
import type { RunningServer, ServeConfigInput } from "@optio/server-bridge/server";
import { type Command, Option } from "commander";
import type { GpuLayers } from "../context.js";
import { ensureModel } from "../ensure-model.js";
import { duration } from "../flags/duration-flag.js";
import { parseGpuLayers } from "../flags/gpu-layers-flag.js";
import { wholeNumber } from "../flags/number-flag.js";
import { parsePolicy } from "../flags/policy-flag.js";
import { writeJson } from "../output/json.js";
import type { CommandHost } from "../program.js";

interface ServeFlags {
  readonly host?: string;
  readonly port?: number;
  readonly key?: readonly string[];
  readonly allowAnyone?: true;
  readonly origin?: readonly string[];
  readonly engine?: string;
  readonly model?: string;
  readonly threads?: number;
  readonly context?: number;
  readonly gpuLayers?: GpuLayers;
  readonly policy?: Policy;
  readonly maxQueue?: number;
  readonly timeout?: number;
  readonly logLevel?: string;
  readonly config?: string;
  readonly checkConfig?: true;
  readonly yes?: boolean;
}

const collected = (value: string, earlier: readonly string[] = []) => [...earlier, value];

export function addServeCommand(program: Command, host: CommandHost): void {
  program
    .command("serve")
    .summary("answer decisions over HTTP")
    .description(
      "Serves System One (POST /v1/systemone), chat completions (POST /v1/chat/completions), the container contract of Amazon SageMaker (POST /invocations, GET /ping), /healthz, /readyz, /metrics and /openapi.json.",
    )
    .option("--host <address>", "address to listen at (default: 127.0.0.1)")
    .addOption(new Option("--port <n>", "port, 0 for any (default: 8080)").argParser(wholeNumber("--port", 0, 65_535)))
    .option(
      "--key <key>",
      "bearer key that lets in, may be repeated; better OPTIO_KEYS, which no process list shows",
      collected,
    )
    .option("--allow-anyone", "no keys beyond this machine: something in front decides who may")
    .option("--origin <origin>", "origin of pages that may use the server, may be repeated", collected)
    .addOption(new Option("--engine <engine>", "what computes (default: auto)").choices(["auto", "native", "wasm"]))
    .option("-m, --model <model>", "id, path or address of a model")
    .addOption(new Option("--threads <n>", "threads of the engine").argParser(wholeNumber("--threads", 1, 512)))
    .addOption(
      new Option("--gpu-layers <n>", "layers on a graphics card: a number, all or auto (default: 0)").argParser(
        parseGpuLayers,
      ),
    )
    .addOption(
      new Option("--context <tokens>", "tokens that text and questions may take").argParser(
        wholeNumber("--context", 64, 1_048_576),
      ),
    )
    .addOption(
      new Option("--policy <bounds>", "such as accept=0.9,review=0.6: answers say what to do").argParser(parsePolicy),
    )
    .addOption(
      new Option("--max-queue <n>", "requests that may wait (default: 64)").argParser(
        wholeNumber("--max-queue", 0, 100_000),
      ),
    )
    .addOption(new Option("--timeout <time>", "limit for one request (default: 60s)").argParser(duration("--timeout")))
    .addOption(
      new Option("--log-level <level>", "of the JSON lines on stderr (default: info)").choices([
        "trace",
        "debug",
        "info",
        "warn",
        "error",
        "silent",
      ]),
    )
    .option("--config <file>", "JSON file of settings")
    .option("--check-config", "print the settings in effect, and end")
    .option("-y, --yes", "download the model if it is not here yet, without asking")
    .addHelpText("after", notes)
    .action(async (flags: ServeFlags) => {
      const { context } = host;
      // Only here: no other command needs an HTTP server.
      const { readConfig, startServer, withoutSecrets } = await import("@optio/server-bridge/server");
      const config = readConfig({ flags: settingsOf(flags), env: context.env, file: flags.config });
      if (flags.checkConfig) {
        await writeJson(context.stdout, withoutSecrets(config));
        return;
      }
      for (const model of [config.model, ...config.models]) await ensureModel(model, flags.yes ?? false, context);
      await untilTold(await startServer(config), host);
    });
}

const notes = `
Every setting can stand in the file (maxQueue) or in the environment (OPTIO_MAX_QUEUE) as well; flags come first, then the
environment, then the file. \`optio serve --check-config\` shows the result.

Example:
  optio serve --port 8080
  curl localhost:8080/v1/systemone -H 'content-type: application/json' -d '{"state": "I was charged twice.",
    "questions": {"angry": {"type": "noul", "instructions": "Is the customer angry?"}}}'`;

function settingsOf(flags: ServeFlags): ServeConfigInput {
  const { key, origin, context, timeout } = flags;
  const { host, port, allowAnyone, engine, model, threads, gpuLayers, policy, maxQueue, logLevel } = flags;
  return {
    ...{ host, port, allowAnyone, engine, model, threads, gpuLayers, policy, maxQueue, logLevel },
    ...{ keys: key, origins: origin, contextTokens: context, timeoutMs: timeout },
  };
}

/** Serves until it is told to end, or until it is known that the model cannot be started. */
async function untilTold(server: RunningServer, { context, signal }: CommandHost): Promise<void> {
  try {
    await context.stdout.write(`${server.url}\n`);
    const told = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.race([told, server.ready.then(() => told)]);
  } finally {
    await server.close();
  }
}
