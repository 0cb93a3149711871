import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What is to be had under every path of a server. */
export interface ServedFile {
  readonly bytes: Buffer;
  readonly etag?: string;
  readonly lastModified?: string;
}

/** One answer out of the ordinary. */
export type Fault =
  /** Breaks the connection after so many bytes of the body. */
  | { readonly kind: "cut"; readonly after: number }
  /** Sends so many bytes of the body, and then nothing. */
  | { readonly kind: "stall"; readonly after: number }
  | { readonly kind: "status"; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** A web page with status 200. */
  | { readonly kind: "page" }
  /** The whole file, whatever range was asked for. */
  | { readonly kind: "no-range" }
  /** The range that was asked for, though the file has become another. */
  | { readonly kind: "no-if-range" }
  /** A part that begins one byte early, and says so. */
  | { readonly kind: "wrong-range" };

/** A file server on the loopback interface that can be told to misbehave. */
export class FileServer {
  readonly #server: Server;
  readonly requests: IncomingMessage[] = [];
  file: ServedFile;
  /** Used up one a request; afterwards the server behaves. */
  faults: Fault[] = [];
  /** Called before each answer. */
  onRequest: (request: IncomingMessage) => void = () => undefined;

  private constructor(file: ServedFile) {
    this.file = file;
    this.#server = createServer((request, response) => {
      this.requests.push(request);
      this.onRequest(request);
      this.#answer(request, response, this.faults.shift());
    });
  }

  static async start(file: ServedFile): Promise<FileServer> {
    const server = new FileServer(file);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** `Range` headers in the order of their requests. */
  get ranges(): readonly (string | undefined)[] {
    return this.requests.map(({ headers }) => headers.range);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer({ headers }: IncomingMessage, response: ServerResponse, fault: Fault | undefined): void {
    if (fault?.kind === "status") {
      response.writeHead(fault.status, fault.headers).end();
      return;
    }
    if (fault?.kind === "page") {
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Not here</title>");
      return;
    }
    const { bytes } = this.file;
    const asked = Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? 0);
    const same =
      headers["if-range"] === undefined || this.#isSame(headers["if-range"]) || fault?.kind === "no-if-range";
    const partial = asked > 0 && same && fault?.kind !== "no-range";
    if (partial && asked >= bytes.length) {
      response.writeHead(416, { "content-range": `bytes */${bytes.length}` }).end();
      return;
    }
    const start = partial ? asked - (fault?.kind === "wrong-range" ? 1 : 0) : 0;
    const body = bytes.subarray(start);
    response.writeHead(partial ? 206 : 200, {
      "content-length": body.length,
      ...(partial ? { "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}` } : {}),
      ...(this.file.etag === undefined ? {} : { etag: this.file.etag }),
      ...(this.file.lastModified === undefined ? {} : { "last-modified": this.file.lastModified }),
    });
    if (fault?.kind === "cut") response.write(body.subarray(0, fault.after), () => response.destroy());
    else if (fault?.kind === "stall") response.write(body.subarray(0, fault.after));
    else response.end(body);
  }

  // A weak tag never matches here (RFC 9110, 13.1.5).
  #isSame(validator: string | string[]): boolean {
    return validator === this.file.lastModified || (validator === this.file.etag && !this.file.etag?.startsWith("W/"));
  }
}
