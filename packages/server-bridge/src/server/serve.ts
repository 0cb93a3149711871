import type { AddressInfo } from "node:net";
import { createAdaptorServer, type ServerType } from "@hono/node-server";
import type { EngineSource } from "@optio/core";
import { OptioError } from "@optio/core";
import { destination, type Logger, type LoggerOptions, pino } from "pino";
import { createApp } from "./app.js";
import type { ServeConfig } from "./config.js";
import { drainer } from "./drain.js";
import { serverModels } from "./engine.js";
import { Metrics } from "./metrics.js";
import { createModels } from "./models.js";
import { Readiness } from "./readiness.js";

export interface RunningServer {
  /** Where it listens, such as http://127.0.0.1:8080. */
  readonly url: string;
  /** Settles when the model has answered for the first time, or could not. */
  readonly ready: Promise<void>;
  /** Lets requests end within `drainMs`, then closes. Safe to call twice. */
  close(): Promise<void>;
}

export interface ServeOptions {
  /** What computes; by default what the settings say. */
  readonly engine?: EngineSource;
  /** Default: JSON lines on stderr. */
  readonly log?: Logger;
}

/** Milliseconds; longer than load balancers keep idle connections, so that it is never the server that hangs up first. */
const keepAliveTimeoutMs = 75_000;
/** Milliseconds within which a request's head, and all of it, must have arrived. */
const headersTimeoutMs = 10_000;
const requestTimeoutMs = 30_000;

/**
 * Starts a server on Node. It listens at once and says that it is not ready until the model has decided.
 *
 * @throws OptioError `invalid_setting` when the address cannot be listened at
 */
export async function startServer(config: ServeConfig, options: ServeOptions = {}): Promise<RunningServer> {
  const log = options.log ?? pino(logSettings(config), stderrLog());
  const { engine } = options;
  const models = createModels({
    models: engine === undefined ? serverModels(config, log) : [{ name: engine.kind, engine }],
    aliases: config.aliases,
    maxQueue: config.maxQueue,
    maxLoaded: config.maxLoadedModels,
    ...(config.maxModelBytes === undefined ? {} : { maxBytes: config.maxModelBytes }),
    ...(config.policy === undefined ? {} : { policy: config.policy }),
  });
  const readiness = new Readiness(models);
  const { keys, origins, maxBodyBytes, maxQuestions, timeoutMs } = config;
  const app = createApp({
    models,
    readiness,
    metrics: new Metrics(),
    log,
    access: { keys, origins },
    limits: { maxBodyBytes, maxQuestions },
    timeoutMs,
    logContent: config.logContent,
  });
  const server = createAdaptorServer({ fetch: app.fetch, autoCleanupIncoming: true });
  limitSlowClients(server);
  const drain = drainer(server);
  let url: string;
  try {
    url = await listen(server, config);
  } catch (error) {
    await models[Symbol.asyncDispose]();
    throw error;
  }
  log.info({ url }, "listening");

  const starting = new AbortController();
  const ready = readiness.prove(starting.signal).then(
    () => log.info({ models: models.loaded().map(({ model }) => model.id) }, "ready"),
    (error: unknown) => {
      if (!starting.signal.aborted) log.error({ err: error }, "the model could not be started");
      throw error;
    },
  );
  ready.catch(() => undefined);

  let closing: Promise<void> | undefined;
  const end = async () => {
    readiness.end();
    starting.abort(new OptioError("engine_closed", "The server was closed."));
    await drain(config.drainMs);
    await models[Symbol.asyncDispose]();
    log.info("closed");
  };
  return {
    url,
    ready,
    close: () => {
      closing ??= end();
      return closing;
    },
  };
}

/** Lines that are kept while they cannot be written, in bytes. */
const unwrittenBytes = 1_048_576;

/** A disk that is full, or a reader that has gone, costs lines of the log, and no request. */
function stderrLog() {
  const lines = destination({ fd: 2, sync: true, maxLength: unwrittenBytes });
  lines.on("error", () => undefined);
  return lines;
}

/** For `pino`. */
export function logSettings({ logLevel, redact }: Pick<ServeConfig, "logLevel" | "redact">): LoggerOptions {
  return { level: logLevel, redact: { paths: [...redact], censor: "(hidden)" } };
}

function limitSlowClients(server: ServerType): void {
  if (!("headersTimeout" in server)) return;
  server.keepAliveTimeout = keepAliveTimeoutMs;
  server.headersTimeout = headersTimeoutMs;
  server.requestTimeout = requestTimeoutMs;
}

function listen(server: ServerType, { host, port }: ServeConfig): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      reject(
        new OptioError("invalid_setting", `The server cannot listen at ${host}:${port}: ${cause.message}`, {
          hint: "Choose another --port, or end what uses this one.",
          cause,
        }),
      );
    });
    server.listen(port, host, () => {
      const { address, port: bound, family } = server.address() as AddressInfo;
      resolve(`http://${family === "IPv6" ? `[${address}]` : address}:${bound}`);
    });
  });
}
