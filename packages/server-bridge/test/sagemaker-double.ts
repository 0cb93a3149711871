import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { refusedSignature, type SigningKey } from "./sigv4.js";

/** A failure that comes from SageMaker and not from a container. */
export interface Fault {
  readonly name: string;
  readonly status: number;
  readonly message?: string;
  /** Sent instead of the error envelope. */
  readonly html?: true;
  /** The connection breaks. */
  readonly reset?: true;
  readonly times?: number;
}

export interface DoubleEndpoint {
  /** Base address of the container, which is asked at `/invocations`. */
  readonly container: string;
  /** Milliseconds from the first call after which an inference component that was scaled to zero has capacity. */
  readonly startsInMs?: number;
}

/** What a caller sent beside the body. */
export interface Seen {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly bytes: number;
}

export interface SageMakerDouble extends AsyncDisposable {
  readonly url: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly region: string;
  readonly seen: readonly Seen[];
  /** The next calls fail like this, in order, before any reaches a container. */
  fail(...faults: Fault[]): void;
}

const maxBodyBytes = 6_291_456;

/**
 * SageMaker's runtime as far as its callers can tell: checks signatures, routes by the name of an endpoint, hands only the
 * headers of the API to the container, ends a call after its time limit, and wraps what a container refuses as `ModelError`.
 */
export async function sageMakerDouble(
  endpoints: Readonly<Record<string, DoubleEndpoint>>,
  { limitMs = 60_000 }: { readonly limitMs?: number } = {},
): Promise<SageMakerDouble> {
  const credentials = { accessKeyId: "AKIDOFTHEDOUBLE", secretAccessKey: "secret/of+the/double" };
  const region = "eu-central-1";
  const key: SigningKey = { ...credentials, region, service: "sagemaker" };
  const seen: Seen[] = [];
  const faults: Fault[] = [];
  const firstCalls = new Map<string, number>();

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks);
    response.setHeader("x-amzn-requestid", crypto.randomUUID());
    const refused = refusedSignature(request, body, key);
    if (refused !== undefined) return fail(response, 403, refused, "The request signature does not match.");
    const [, name = "", operation] = /^\/endpoints\/([^/]+)\/([a-z-]+)$/u.exec(request.url ?? "") ?? [];
    seen.push({ path: request.url ?? "", headers: request.headers, bytes: body.length });
    if (request.method !== "POST" || operation !== "invocations") {
      return fail(response, 404, "UnknownOperationException", "");
    }

    const fault = faults.shift();
    if (fault !== undefined) {
      const { times = 1 } = fault;
      if (times > 1) faults.unshift({ ...fault, times: times - 1 });
      if (fault.reset) return request.socket.destroy();
      if (fault.html) {
        response.writeHead(fault.status, { "content-type": "text/html" });
        return response.end("<html><body>Gateway Time-out</body></html>");
      }
      return fail(response, fault.status, fault.name, fault.message ?? "");
    }
    const endpoint = Object.hasOwn(endpoints, name) ? endpoints[name] : undefined;
    if (endpoint === undefined)
      return fail(response, 400, "ValidationError", `Endpoint ${name} of account 000000000000 not found.`);
    if (body.length > maxBodyBytes) return fail(response, 413, "ValidationError", "The request body is too large.");
    if (endpoint.startsInMs !== undefined) {
      const first = firstCalls.get(name) ?? performance.now();
      firstCalls.set(name, first);
      if (performance.now() - first < endpoint.startsInMs) {
        return fail(
          response,
          400,
          "ValidationError",
          "Inference Component has no capacity to process this request. ApplicationAutoScaling may be in-progress (if configured) or try to increase the capacity by invoking UpdateInferenceComponentRuntimeConfig API.",
        );
      }
    }
    await forward(request, response, body, endpoint.container, limitMs);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials,
    region,
    seen,
    fail: (...more) => void faults.push(...more),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  container: string,
  limitMs: number,
): Promise<void> {
  const passed = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    /^(?:content-type|accept|x-amzn-sagemaker-.*)$/u.test(name) && typeof value === "string" ? [[name, value]] : [],
  );
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(`${container}/invocations`, {
      method: "POST",
      headers: Object.fromEntries(passed),
      body,
      signal: AbortSignal.any([gone.signal, AbortSignal.timeout(limitMs)]),
    });
    text = await answer.text();
  } catch {
    if (gone.signal.aborted) return;
    const message =
      "Your invocation timed out while waiting for a response from container primary. Review the latency metrics for each container in Amazon CloudWatch.";
    return modelError(response, 0, message, "");
  }
  if (!answer.ok) {
    return modelError(
      response,
      answer.status,
      `Received server error (${answer.status}) from primary with message "${text.slice(0, 1_024)}".`,
      text,
    );
  }
  const attributes = answer.headers.get("x-amzn-sagemaker-custom-attributes");
  response.writeHead(200, {
    "content-type": answer.headers.get("content-type") ?? "application/octet-stream",
    "x-amzn-invoked-production-variant": request.headers["x-amzn-sagemaker-target-variant"] ?? "AllTraffic",
    ...(attributes === null ? {} : { "x-amzn-sagemaker-custom-attributes": attributes }),
  });
  response.end(text);
}

function modelError(response: ServerResponse, status: number, message: string, original: string): void {
  send(response, 424, "ModelError", {
    ErrorCode: status === 0 ? "CLIENT_ERROR_FROM_MODEL" : "SERVER_ERROR_FROM_MODEL",
    LogStreamArn: "arn:aws:logs:eu-central-1:000000000000:log-group:/aws/sagemaker/Endpoints/double",
    Message: message,
    OriginalMessage: original,
    OriginalStatusCode: status,
  });
}

function fail(response: ServerResponse, status: number, name: string, message: string): void {
  send(response, status, name, { Message: message, message });
}

function send(response: ServerResponse, status: number, name: string, body: object): void {
  response.writeHead(status, { "content-type": "application/json", "x-amzn-errortype": name });
  response.end(JSON.stringify(body));
}
