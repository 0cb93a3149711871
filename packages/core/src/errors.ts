/**
 * Every failure that optio reports, by stable code. A code never changes its meaning; messages may.
 *
 * The hint says what to do about it and is the default for errors of that code.
 */
export const errorHints = {
  // Input: refused before any work.
  invalid_state: "Pass text, JSON or a list of chat messages that is not empty.",
  invalid_question: "See the message for the field; `choice`, `noul` and `score` build valid questions.",
  invalid_options: "A choice takes 2 to 255 different, non-empty options; a score takes 2 to 10 levels.",
  ambiguous_option_order:
    "JavaScript moves integer-like keys to the front of an object: pass the options as an array of [key, description] pairs.",
  invalid_schema: "Use an enum, a boolean, a union of literals, or an object of those.",
  invalid_setting: "See the message for the setting and its range.",
  context_too_long: "Shorten the state or the question, or load the model with a larger context.",
  // Prompt and labels.
  template_failed:
    "The model's chat template uses something that is not supported; choose another model or a profile of your own.",
  too_many_options: "Use the sequence readout, which has no limit of its own, or fewer options.",
  labels_unusable: "This vocabulary has no single-token labels at the answer position; use the sequence readout.",
  reserved_token:
    "The text contains a token that the model reserves for control and that cannot be written differently.",
  // Model files.
  model_not_found: "`optio models list` shows the known models; a path or an address works as well.",
  model_invalid: "The file is damaged or not a GGUF model; remove it and download it again.",
  model_unsupported: "Choose another model: this one needs something that the engine does not have.",
  download_failed: "Check the connection and try again; a download continues where it stopped.",
  download_stalled: "No data arrived for a while; try again, it continues where it stopped.",
  hash_mismatch: "The bytes differ from the published file; they were removed. Try another source.",
  no_space: "Free some space, or choose a smaller model.",
  store_busy: "Another process is working on this model; wait for it, or stop it.",
  store_failed: "The place where models are kept could not be read or written; check its permissions.",
  // Engines.
  engine_unavailable: "`optio doctor` says what this machine can run, and why not.",
  engine_start_failed: "See the cause; `optio doctor` checks the parts one by one.",
  engine_crashed: "The call was lost; the engine restarts by itself on the next call.",
  engine_closed: "Create a new engine: this one was closed.",
  protocol_mismatch: "The scorer and the library come from different versions; build or install them together.",
  out_of_memory: "Choose a smaller model or context, or close other programs.",
  queue_full: "Wait for earlier decisions, or raise `maxQueue`.",
  timeout: "Raise `timeoutMs`, shorten the input, or choose a faster engine.",
  // Engines elsewhere.
  access_denied: "Check the key or the credentials, their rights and the address.",
  overloaded: "The server has more to do than it can; try again later, or give the decider a fallback.",
  request_refused: "The server does not take this request; its message says why.",
  // Numbers.
  non_finite_scores:
    "The engine returned numbers that are not finite; choose another engine or back end and report this.",
  degenerate_scores:
    "All options got the same score, which a working model does not do; check the engine with `optio doctor`.",
  low_label_mass: "The model did not answer in the expected format; choose another model, prompt profile or readout.",
  invalid_distribution: "The engine returned probabilities that do not fit the question; report this.",
  internal: "This is a defect of optio; please report it with the message.",
} as const;

export type ErrorCode = keyof typeof errorHints;

/** Facts about a failure that a program may want; the keys depend on the code. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean>>;

export interface OptioErrorOptions {
  /** Replaces the default hint of the code. */
  readonly hint?: string;
  readonly cause?: unknown;
  readonly details?: ErrorDetails;
}

/** An error as it crosses a worker, a process or a network. */
export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  readonly details: ErrorDetails;
  readonly cause?: string;
}

const marker = Symbol.for("optio.error");

/**
 * The one error class of optio; `code` tells the failures apart.
 *
 * An aborted call is not an `OptioError`: it rejects with the reason of its `AbortSignal`.
 */
export class OptioError extends Error {
  override readonly name = "OptioError";
  readonly code: ErrorCode;
  /** What to do about it, as a sentence. */
  readonly hint: string;
  readonly details: ErrorDetails;
  readonly [marker] = true;

  constructor(code: ErrorCode, message: string, options: OptioErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint ?? errorHints[code];
    this.details = options.details ?? {};
  }

  /** True for errors of any copy of this library, which `instanceof` is not. With codes: only for those. */
  static isInstance(value: unknown, ...codes: ErrorCode[]): value is OptioError {
    if (typeof value !== "object" || value === null || !(marker in value)) return false;
    return codes.length === 0 || codes.includes((value as OptioError).code);
  }

  toWire(): WireError {
    const cause = this.cause === undefined ? {} : { cause: String(this.cause) };
    return { code: this.code, message: this.message, hint: this.hint, details: this.details, ...cause };
  }

  static fromWire(wire: WireError): OptioError {
    const cause = wire.cause === undefined ? {} : { cause: wire.cause };
    return new OptioError(wire.code, wire.message, { hint: wire.hint, details: wire.details, ...cause });
  }

  /** Any thrown value as an `OptioError`; what is not one becomes `fallback` with the value as its cause. */
  static from(value: unknown, fallback: ErrorCode = "internal"): OptioError {
    if (OptioError.isInstance(value)) return value;
    return new OptioError(fallback, value instanceof Error ? value.message : String(value), { cause: value });
  }
}
