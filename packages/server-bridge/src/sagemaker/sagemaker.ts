import { createHash } from "node:crypto";
import type {
  InvokeEndpointCommandInput,
  SageMakerRuntimeClient,
  SageMakerRuntimeClientConfig,
} from "@aws-sdk/client-sagemaker-runtime";
import { builtInProfile, OptioError, type PromptProfile } from "@optio/core";
import {
  checkOptions,
  type DecisionRequest,
  type Engine,
  type EngineCallOptions,
  type EngineInfo,
  type EngineSource,
  localEngineFields,
  oneOf,
  options as optionsOf,
  type RawDecision,
  whole,
} from "@optio/core/engines";
import { stateText, Turnstile } from "@optio/core/wire";
import { z } from "zod";
import { chatCodec } from "./codecs/chat.js";
import type { Codec, CodecName } from "./codecs/codec.js";
import { semifCodec } from "./codecs/semif.js";
import { systemOneCodec } from "./codecs/system-one.js";
import { invokeWithRetry } from "./invoke.js";

export interface SageMakerOptions {
  /** Name of the endpoint, at most 63 letters, digits and dashes. */
  readonly endpoint: string;
  /**
   * How its container wants decisions: `systemone` (a container of ours, Strands Decider), `semif` (AWS's sample of decision
   * models), `chat` (AWS's plain llama.cpp container).
   */
  readonly codec: CodecName;
  /** Default: the SDK's (AWS_REGION, the profile). */
  readonly region?: string;
  /** Default: the SDK's chain (environment, SSO, profile, container, instance). */
  readonly credentials?: NonNullable<SageMakerRuntimeClientConfig["credentials"]>;
  /** Address of a VPC endpoint or a double. Default: the region's. */
  readonly endpointUrl?: string;
  /** Name in receipts where the container tells none; the model that `systemone` asks for. Default: the endpoint's name. */
  readonly model?: string;
  /** Wording of the prompt, for `chat`, which makes it here. Default `state-first`. */
  readonly profile?: PromptProfile;
  /** Production variant to ask. Default: by the endpoint's weights. */
  readonly variant?: string;
  /** Inference component to ask, for endpoints that have them, such as those that scale to zero. */
  readonly inferenceComponent?: string;
  /**
   * Sends the same routing hint for the same state, so that an endpoint with `PREFIX_AWARE` routing asks the instance that has it
   * in its cache. The hint is a hash of the state. Default false.
   */
  readonly prefixAware?: boolean;
  /** Decisions on their way at the same time, 1 to 256; more wait here. Default 4. */
  readonly concurrency?: number;
  /** Attempts after the first where time may help (busy, throttled, no connection), 0 to 20. Default 4. */
  readonly retries?: number;
  /** Milliseconds to wait for an endpoint that is scaled to zero, within the call's limit. Default 0: it fails at once. */
  readonly coldStartMs?: number;
}

const text = z.string({ error: "must be text" }).min(1, { error: "must not be empty" });
const name = (most: number) =>
  text.regex(/^[a-zA-Z0-9](-*[a-zA-Z0-9])*$/u, { error: "must be letters, digits and dashes" }).max(most, {
    error: `must have at most ${most} characters`,
  });
const sageMakerOptions = optionsOf({
  endpoint: name(63),
  codec: oneOf(["chat", "semif", "systemone"]),
  region: text,
  credentials: z.unknown(),
  endpointUrl: z.url({ error: "must be an address" }),
  model: text,
  profile: localEngineFields.profile,
  variant: name(63),
  inferenceComponent: name(63),
  prefixAware: z.boolean({ error: "must be true or false" }),
  concurrency: whole(1, 256),
  retries: whole(0, 20),
  coldStartMs: whole(0, 3_600_000),
});
const requiredOptions = z.object({
  endpoint: z.string({ error: "must be the name of an endpoint" }),
  codec: z.string({ error: "must be chat, semif or systemone" }),
});

/** Milliseconds for one attempt: SageMaker ends a call after 60 seconds, and its answer needs a moment to arrive. */
const requestTimeoutMs = 70_000;
const connectionTimeoutMs = 3_000;

/**
 * The engine that asks an Amazon SageMaker endpoint. Needs `@aws-sdk/client-sagemaker-runtime`, which is loaded at the start, and
 * the right `sagemaker:InvokeEndpoint`. For servers: pages ask a bridge, which holds the credentials.
 *
 * @throws OptioError `invalid_setting`
 */
export function sagemaker(options: SageMakerOptions): EngineSource {
  checkOptions(sageMakerOptions, options);
  checkOptions(requiredOptions, options);
  const { endpoint, concurrency = 4 } = options;
  return { kind: "sagemaker", destination: hostOf(options), concurrency, start: () => start(endpoint, options) };
}

async function start(endpoint: string, options: SageMakerOptions): Promise<Engine> {
  const sdk = await import("@aws-sdk/client-sagemaker-runtime").catch((cause: unknown) => {
    throw new OptioError("engine_unavailable", "The AWS SDK for SageMaker is not installed.", {
      hint: "npm install @aws-sdk/client-sagemaker-runtime",
      cause,
    });
  });
  const { region, credentials, endpointUrl } = options;
  const client = new sdk.SageMakerRuntimeClient({
    // Retries are ours: they share one deadline, and know what a container's refusal means.
    maxAttempts: 1,
    requestHandler: {
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
      connectionTimeout: connectionTimeoutMs,
    },
    ...(region === undefined ? {} : { region }),
    ...(credentials === undefined ? {} : { credentials }),
    ...(endpointUrl === undefined ? {} : { endpoint: endpointUrl }),
  });
  const invoke: Invoke = async (input, signal) => {
    const { Body, InvokedProductionVariant } = await client.send(new sdk.InvokeEndpointCommand(input), {
      abortSignal: signal,
    });
    return { text: new TextDecoder().decode(Body), variant: InvokedProductionVariant };
  };
  return new SageMakerEngine(endpoint, options, client, invoke);
}

type Invoke = (
  input: InvokeEndpointCommandInput,
  signal: AbortSignal,
) => Promise<{ readonly text: string; readonly variant: string | undefined }>;

class SageMakerEngine implements Engine {
  readonly info: EngineInfo;
  readonly #options: SageMakerOptions;
  readonly #client: SageMakerRuntimeClient;
  readonly #invoke: Invoke;
  readonly #codec: Codec;
  readonly #gate: Turnstile;
  readonly #closing = new AbortController();

  constructor(endpoint: string, options: SageMakerOptions, client: SageMakerRuntimeClient, invoke: Invoke) {
    const { concurrency = 4, model = endpoint } = options;
    this.#options = options;
    this.#client = client;
    this.#invoke = invoke;
    this.#codec = codecOf(options);
    this.#gate = new Turnstile(Number.POSITIVE_INFINITY, concurrency);
    this.info = {
      kind: "sagemaker",
      backend: `${endpoint} ${options.codec}`,
      destination: hostOf(options),
      model: { id: model },
      concurrency,
    };
  }

  async decide(request: DecisionRequest, { signal, timeoutMs, onProgress }: EngineCallOptions): Promise<RawDecision> {
    this.#closing.signal.throwIfAborted();
    signal.throwIfAborted();
    const { endpoint, retries = 4, coldStartMs = 0, prefixAware = false } = this.#options;
    const late = new OptioError("timeout", `${endpoint} did not answer within ${Math.round(timeoutMs)} ms.`);
    const timer = new AbortController();
    const timeout =
      Number.isFinite(timeoutMs) && timeoutMs < 2 ** 31 ? setTimeout(() => timer.abort(late), timeoutMs) : undefined;
    const ends = AbortSignal.any([signal, this.#closing.signal, timer.signal]);
    const deadline = performance.now() + timeoutMs;
    const prefixId = prefixAware
      ? createHash("sha256").update(stateText(request.state)).digest("hex").slice(0, 64)
      : undefined;
    try {
      return await this.#codec.decide(request, this.info, async (body) => {
        this.#checkSize(body);
        const { text } = await this.#gate.run(ends, () =>
          invokeWithRetry(() => this.#invoke(this.#input(body, prefixId), ends), {
            endpoint,
            signal: ends,
            deadline,
            retries,
            coldStartMs,
            onColdStart: () => onProgress?.({ phase: "load", fraction: 0 }),
          }),
        );
        return text;
      });
    } catch (error) {
      ends.throwIfAborted();
      throw error;
    } finally {
      clearTimeout(timeout);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new OptioError("engine_closed", "The SageMaker engine was closed."));
    this.#client.destroy();
  }

  #input(body: string, prefixId: string | undefined): InvokeEndpointCommandInput {
    const { endpoint, variant, inferenceComponent } = this.#options;
    return {
      EndpointName: endpoint,
      ContentType: "application/json",
      Accept: "application/json",
      Body: body,
      ...(variant === undefined ? {} : { TargetVariant: variant }),
      ...(inferenceComponent === undefined ? {} : { InferenceComponentName: inferenceComponent }),
      ...(prefixId === undefined ? {} : { PrefixAwareId: prefixId }),
    };
  }

  #checkSize(body: string): void {
    const bytes = Buffer.byteLength(body);
    const { maxBodyBytes } = this.#codec;
    if (bytes <= maxBodyBytes) return;
    throw new OptioError(
      "context_too_long",
      `The request has ${bytes} bytes, and the endpoint takes ${maxBodyBytes}.`,
      {
        hint: "Shorten the state, or ask fewer questions at a time.",
        details: { bytes, maxBytes: maxBodyBytes },
      },
    );
  }
}

function codecOf({ codec, model, profile }: SageMakerOptions): Codec {
  switch (codec) {
    case "systemone":
      return systemOneCodec({ model });
    case "semif":
      return semifCodec;
    case "chat":
      return chatCodec({ profile: profile ?? builtInProfile("state-first") });
  }
}

function hostOf({ region, endpointUrl }: SageMakerOptions): string {
  if (endpointUrl !== undefined) return new URL(endpointUrl).host;
  const known = region ?? process.env["AWS_REGION"];
  return known === undefined ? "runtime.sagemaker.amazonaws.com" : `runtime.sagemaker.${known}.amazonaws.com`;
}
