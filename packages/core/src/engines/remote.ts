import { z } from "zod";
import { startCall } from "../call.js";
import { callback, checkOptions, options as optionsOf, timeoutMs, whole } from "../check-options.js";
import { OptioError } from "../errors.js";
import { Turnstile } from "../turnstile.js";
import { optioVersion } from "../version.js";
import type {
  DecisionRequest,
  Engine,
  EngineCallOptions,
  EngineInfo,
  EngineSource,
  ModelIdentity,
  RawDecision,
} from "./engine.js";
import { hostOf, postJson } from "./http/post-json.js";
import { remoteFailure } from "./http/remote-failure.js";
import { readSystemOneAnswer, type SystemOneAnswer, writeSystemOne } from "./http/system-one.js";

export interface RemoteOptions {
  /** Where the server is; `/v1/systemone` is added, unless the path ends so. http or https, without credentials in it. */
  readonly url: string | URL;
  /** Sent as `Authorization: Bearer`. Whoever opens a page can read a key in it: pages ask a server that holds the key. */
  readonly apiKey?: string | (() => string | Promise<string>);
  /** The model to ask for. Default `jev-latest`, which servers of this wire take for the one they have. */
  readonly model?: string;
  /** More headers, such as a gateway's. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Decisions on their way at the same time, 1 to 256; more wait here. Default 4. */
  readonly concurrency?: number;
  /** Attempts after the first where time may help: 408, 429, 5xx, no connection. 0 to 10, default 2. */
  readonly retries?: number;
  /** Milliseconds for one attempt. Default 30,000. */
  readonly attemptTimeoutMs?: number;
  /** Default: the runtime's own. */
  readonly fetch?: typeof fetch;
}

const text = z.string({ error: "must be text" });
const remoteOptions = optionsOf({
  url: z.unknown(),
  apiKey: z.union([text, callback], { error: "must be text or a function" }),
  model: text.min(1, { error: "must not be empty" }),
  headers: z.record(z.string(), text, { error: "must be an object of texts" }),
  concurrency: whole(1, 256),
  retries: whole(0, 10),
  attemptTimeoutMs: timeoutMs,
  fetch: callback,
});

const path = "/v1/systemone";

/**
 * The engine that asks a System One server: `optio serve`, llama-server from b11361 on with a decision model, TypeSafe.
 *
 * States leave this machine for the server. How options are read is the server's business, so `readout` and `reuse` have no
 * effect, which a warning says.
 *
 * @throws OptioError `invalid_setting`
 */
export function remote(options: RemoteOptions): EngineSource {
  checkOptions(remoteOptions, options);
  const url = addressOf(options.url);
  const { concurrency = 4 } = options;
  return { kind: "remote", destination: hostOf(url), concurrency, start: async () => new RemoteEngine(url, options) };
}

function addressOf(given: unknown): string {
  const text = given instanceof URL ? given.href : given;
  const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/u.test(url.protocol)) {
    throw new OptioError("invalid_setting", "url must be an http or https address.", { details: { field: "url" } });
  }
  if (url.username !== "" || url.password !== "") {
    throw new OptioError("invalid_setting", "url must not hold a name or a password.", {
      hint: "Pass the key as `apiKey`.",
      details: { field: "url" },
    });
  }
  const base = url.pathname.replace(/\/+$/u, "");
  url.pathname = base.endsWith(path) ? base : base + path;
  return url.href;
}

class RemoteEngine implements Engine {
  readonly info: EngineInfo;
  readonly #url: string;
  readonly #options: RemoteOptions;
  readonly #gate: Turnstile;
  readonly #closing = new AbortController();

  constructor(url: string, options: RemoteOptions) {
    const { concurrency = 4, model = "jev-latest" } = options;
    this.#url = url;
    this.#options = options;
    this.#gate = new Turnstile(Number.POSITIVE_INFINITY, concurrency);
    const host = hostOf(url);
    this.info = { kind: "remote", backend: host, destination: host, model: { id: model }, concurrency };
  }

  async decide(request: DecisionRequest, { signal, timeoutMs }: EngineCallOptions): Promise<RawDecision> {
    this.#closing.signal.throwIfAborted();
    signal.throwIfAborted();
    const limit = Number.isFinite(timeoutMs) ? { timeoutMs: Math.max(timeoutMs, Number.MIN_VALUE) } : {};
    const ends = AbortSignal.any([signal, this.#closing.signal]);
    using call = startCall({ signal: ends, ...limit }, "The request");
    const body = writeSystemOne(request.state, request.questions, this.info.model.id);
    const { text, headers } = await this.#gate.run(call.signal, async () =>
      postJson(
        { url: this.#url, headers: await this.#headers(), body },
        {
          signal: call.signal,
          deadline: performance.now() + call.remainingMs(),
          retries: this.#options.retries ?? 2,
          attemptTimeoutMs: this.#options.attemptTimeoutMs ?? 30_000,
          fetch: this.#options.fetch ?? fetch,
          failure: ({ status, headers, text }) =>
            remoteFailure(this.info.backend, { status, text, requestId: headers.get("x-typesafe-request-id") }),
        },
      ),
    );
    const answer = readSystemOneAnswer(text, request.questions);
    return {
      questions: answer.questions,
      answeredBy: { ...this.info, model: modelOf(answer, this.info.model) },
      upstream: { requestId: headers.get("x-typesafe-request-id"), receipt: answer.receipt ?? null },
      usage: answer.usage,
      timings: answer.timings,
      warnings: [...answer.warnings, ...withoutEffect(request)],
    };
  }

  async close(): Promise<void> {
    this.#closing.abort(new OptioError("engine_closed", "The remote engine was closed."));
  }

  async #headers(): Promise<Record<string, string>> {
    const { apiKey, headers = {} } = this.#options;
    const key = typeof apiKey === "function" ? await apiKey() : apiKey;
    return {
      "x-typesafe-sdk": `optio/${optioVersion}`,
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    };
  }
}

const receiptModel = z.object({
  model: z.object({ sha256: z.string().nullish(), quantization: z.string().nullish() }),
});

/** The model that answered; a server of ours also says which file. */
function modelOf({ model, receipt }: SystemOneAnswer, asked: ModelIdentity): ModelIdentity {
  const told = receiptModel.safeParse(receipt).data?.model;
  return {
    id: model ?? asked.id,
    ...(told?.sha256 == null ? {} : { sha256: told.sha256 }),
    ...(told?.quantization == null ? {} : { quantization: told.quantization }),
  };
}

/** What the caller asked for and the wire cannot carry, as sentences. */
export function withoutEffect({ readout, reuse }: DecisionRequest): readonly string[] {
  return [
    ...(Object.keys(readout).length === 0 ? [] : ["The server reads options in its own way: `readout` had no effect."]),
    ...(reuse ? [] : ["The server may use results of earlier calls: `reuse: false` had no effect."]),
  ];
}
