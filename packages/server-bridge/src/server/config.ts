import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { OptioError } from "@optio/core";
import { z } from "zod";

const list = z.union([z.array(z.string().min(1)), z.string().transform((text) => text.split(",").filter(Boolean))]);
/** Environment variables are text. */
const flag = z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]);
const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const share = z.number().min(0).max(1);

const configSchema = z.strictObject({
  /** Address to listen at. Beyond this machine, keys are mandatory. */
  host: z.string().min(1).default("127.0.0.1"),
  /** 0: any that is free. */
  port: whole(0, 65_535).default(8080),
  /** Bearer keys that let in. */
  keys: list.default([]),
  /** Serves everybody who reaches it, although it listens beyond this machine: something in front decides who may. */
  allowAnyone: flag.default(false),
  /** Origins of pages that may use it, such as https://example.org. */
  origins: list.default([]),
  /** `auto`: native where it can be had, else wasm. */
  engine: z.enum(["auto", "native", "wasm"]).default("auto"),
  /** A catalogue id, a path or an address. */
  model: z.string().min(1).optional(),
  /** More models, by the same names; requests name the one they want. */
  models: list.default([]),
  /** How many are loaded at the same time; the least recently used makes room for another. */
  maxLoadedModels: whole(1, 64).default(1),
  /** Bytes that the files of loaded models may have together. */
  maxModelBytes: whole(1, Number.MAX_SAFE_INTEGER).optional(),
  threads: whole(1, 512).optional(),
  /** Layers on a graphics card; only the native engine has any. */
  gpuLayers: z.union([z.enum(["all", "auto"]), whole(0, 10_000)]).default(0),
  contextTokens: whole(64, 1_048_576).optional(),
  /** Whether the hosted service's model names are answered too. */
  aliases: flag.default(true),
  policy: z.strictObject({ accept: share, review: share }).optional(),
  maxBodyBytes: whole(1_024, 1_073_741_824).default(1_048_576),
  maxQuestions: whole(1, 1_000).default(64),
  /** Requests that may wait while another is answered; more are refused at once. */
  maxQueue: whole(0, 100_000).default(64),
  /** Milliseconds that a request may take, waiting included. */
  timeoutMs: whole(1, 3_600_000).default(60_000),
  /** Milliseconds that requests have to end when the server is told to. */
  drainMs: whole(0, 600_000).default(30_000),
  /** Puts states and answers into the log, which otherwise has neither. */
  logContent: flag.default(false),
  /** Paths of what stays out of it all the same, such as state.customer.email or state.*.name. */
  redact: list.default([]),
  logLevel: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("info"),
});

export type ServeConfig = z.infer<typeof configSchema>;
export type ServeConfigInput = Partial<Record<keyof ServeConfig, unknown>>;

export const configNames = Object.keys(configSchema.shape) as readonly (keyof ServeConfig)[];

/** The variable of a setting: `OPTIO_MAX_QUEUE` for `maxQueue`; in a SageMaker container `SM_OPTIO_MAX_QUEUE` as well. */
export function variableOf(name: string): string {
  return `OPTIO_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

export interface ConfigSources {
  readonly flags: ServeConfigInput;
  readonly env: NodeJS.ProcessEnv;
  /** Path of a JSON file. */
  readonly file?: string | undefined;
  /** Where SageMaker puts a model. */
  readonly modelFolder?: string;
}

/**
 * The settings: flags before variables, variables before the file, the file before the defaults.
 *
 * @throws OptioError `invalid_setting` that names the setting
 */
export function readConfig({ flags, env, file, modelFolder = "/opt/ml/model" }: ConfigSources): ServeConfig {
  const variables = Object.fromEntries(
    configNames.flatMap((name) => {
      const value = env[variableOf(name)] ?? env[`SM_${variableOf(name)}`];
      return value === undefined || value === "" ? [] : [[name, name === "policy" ? policyOf(value) : value]];
    }),
  );
  const given = { ...(file === undefined ? {} : readFile(file)), ...variables, ...defined(flags) };
  const parsed = configSchema.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.map(String).join(".") ?? "";
    throw new OptioError("invalid_setting", `${field === "" ? "The settings" : field}: ${issue?.message}.`, {
      hint: `The settings are ${configNames.join(", ")}.`,
      details: { field },
    });
  }
  const config = parsed.data;
  if (!isLoopback(config.host) && config.keys.length === 0 && !config.allowAnyone) {
    throw new OptioError("invalid_setting", `The server would listen at ${config.host} without any key.`, {
      hint: "Set keys (OPTIO_KEYS), listen at 127.0.0.1, or say that something in front decides who may (--allow-anyone).",
      details: { field: "keys" },
    });
  }
  const model = config.model ?? modelIn(modelFolder);
  return model === undefined ? config : { ...config, model };
}

/** The settings as they may be shown. */
export function withoutSecrets(config: ServeConfig): object {
  return { ...config, keys: config.keys.map(() => "(hidden)") };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

function readFile(path: string): ServeConfigInput {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch (cause) {
    throw new OptioError("invalid_setting", `${path} cannot be read: ${String(cause)}`, {
      hint: "Pass the path of a JSON file of settings.",
      cause,
    });
  }
  throw new OptioError("invalid_setting", `${path} is not an object of settings.`);
}

function policyOf(text: string): unknown {
  return Object.fromEntries(
    text.split(",").map((part) => {
      const [name = "", value] = part.split("=");
      return [name.trim(), Number(value)];
    }),
  );
}

/** The first GGUF of a folder, or of one inside it. */
function modelIn(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".gguf"));
  const [first] = found.sort();
  return first === undefined ? undefined : join(folder, first);
}

function defined(flags: ServeConfigInput): ServeConfigInput {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}
