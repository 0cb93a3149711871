import type { Usage } from "@optio/core";
import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** Seconds; from what HTTP alone takes to what a long text on a slow machine takes. */
const buckets = [0.001, 0.002, 0.003, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** What a server counts, for Prometheus. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<"route" | "status">;
  readonly #seconds: Histogram<"route">;
  readonly #running: Gauge;
  readonly #tokens: Counter<"kind">;
  readonly #questions: Counter<"type">;
  readonly #queueSeconds: Histogram;
  readonly #crashes: Counter;

  constructor() {
    const registers = [this.#registry];
    this.#requests = new Counter({
      name: "optio_requests_total",
      help: "Requests by route and status.",
      labelNames: ["route", "status"],
      registers,
    });
    this.#seconds = new Histogram({
      name: "optio_request_duration_seconds",
      help: "Time from a request's head to its answer.",
      labelNames: ["route"],
      buckets,
      registers,
    });
    this.#running = new Gauge({ name: "optio_requests_running", help: "Requests that are being answered.", registers });
    this.#tokens = new Counter({
      name: "optio_tokens_total",
      help: "Tokens of prompts, evaluated or reused from an earlier request, and tokens generated in chats.",
      labelNames: ["kind"],
      registers,
    });
    this.#questions = new Counter({
      name: "optio_questions_total",
      help: "Questions answered, by type.",
      labelNames: ["type"],
      registers,
    });
    this.#queueSeconds = new Histogram({
      name: "optio_queue_duration_seconds",
      help: "Time that a decision waited for others.",
      buckets,
      registers,
    });
    this.#crashes = new Counter({
      name: "optio_engine_crashes_total",
      help: "Calls that were lost because the engine stopped; it restarts with the next one.",
      registers,
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** A request began; call the result with its status when it has been answered. */
  request(route: string): (status: number) => void {
    const began = performance.now();
    this.#running.inc();
    return (status) => {
      this.#running.dec();
      this.#requests.inc({ route, status });
      this.#seconds.observe({ route }, (performance.now() - began) / 1000);
    };
  }

  decision(usage: Usage, queueMs: number, types: readonly string[]): void {
    this.#tokens.inc({ kind: "evaluated" }, usage.evaluatedTokens);
    this.#tokens.inc({ kind: "reused" }, usage.reusedTokens);
    this.#queueSeconds.observe(queueMs / 1000);
    for (const type of types) this.#questions.inc({ type });
  }

  chat(usage: Usage): void {
    this.#tokens.inc({ kind: "evaluated" }, usage.evaluatedTokens);
    this.#tokens.inc({ kind: "reused" }, usage.reusedTokens);
    this.#tokens.inc({ kind: "generated" }, usage.outputTokens);
  }

  crash(): void {
    this.#crashes.inc();
  }
}
