import { OptioError } from "../errors.js";
import { networkReason } from "../network-reason.js";
import { thenClose } from "../then-close.js";
import { byteSize } from "./byte-size.js";
import { noSpace } from "./disk-space.js";
import { type PartFacts, partFactsOf, planResponse, rangeValidator, readPartFacts } from "./download-plan.js";
import { checkMagic } from "./gguf-magic.js";
import { joinBytes } from "./join-bytes.js";
import { PartFile } from "./part-file.js";
import { printableAddress } from "./printable-address.js";
import { isUnreachable, RetryBudget, requestFailed, type Setback } from "./retry.js";
import { StallWatch } from "./stall-watch.js";
import { type Downloaded, type DownloadRequest, differenceOf, discardPart, type Transfer } from "./transfer.js";

/**
 * Downloads one file, continuing what an earlier run left. An abort keeps what has arrived.
 *
 * @throws OptioError `download_failed`, `download_stalled`, `model_invalid`, `hash_mismatch`, `no_space`, `store_failed`;
 *   the signal's reason when aborted.
 */
export async function download(transfer: Transfer, request: DownloadRequest): Promise<Downloaded> {
  const budget = new RetryBudget(transfer.settings);
  const running = await FileDownload.takeUp(transfer, request);
  for (;;) {
    const setback = await running.attempt();
    if (setback !== undefined) {
      await budget.spend(setback, transfer.signal);
      continue;
    }
    const found = running.found();
    const difference = differenceOf(request.address, found, request.expected);
    if (difference === undefined) return found;
    await discardPart(transfer.platform, request.part);
    // Bytes of an earlier run may come from another file: that is worth one more try, from the start.
    if (!running.continued) throw difference;
    await running.restart();
  }
}

/** One file on its way, over as many requests as it takes. */
class FileDownload {
  readonly #transfer: Transfer;
  readonly #request: DownloadRequest;
  readonly #part: PartFile;
  readonly #from: string;
  /** About the file that the bytes present belong to. */
  #facts: PartFacts | undefined;
  #totalBytes: number | undefined;
  #continued: boolean;

  private constructor(transfer: Transfer, request: DownloadRequest, part: PartFile, facts: PartFacts | undefined) {
    this.#transfer = transfer;
    this.#request = request;
    this.#part = part;
    this.#from = printableAddress(request.address);
    this.#facts = facts;
    this.#totalBytes = request.expected.sizeBytes;
    this.#continued = part.bytes > 0;
  }

  static async takeUp(transfer: Transfer, request: DownloadRequest): Promise<FileDownload> {
    const { platform, meter, signal } = transfer;
    const { expected, within, magic } = request;
    const stored = readPartFacts(await platform.facts.get(request.part));
    const facts = stored?.address === request.address ? stored : undefined;
    const present = (await platform.files.size(request.part)) ?? 0;
    const sure = canContinue(transfer, request, facts);
    const keepBytes = sure && present <= (expected.sizeBytes ?? present) ? present : 0;
    const onVerify = (bytes: number) => {
      if (within === undefined) meter.verified(bytes, keepBytes);
    };
    const part = await PartFile.resume(platform, request.part, { keepBytes, signal, onVerify });
    const begins = magic.bytes.every((byte, index) => index >= part.head.length || part.head[index] === byte);
    if (!begins) await part.restart();
    return new FileDownload(transfer, request, part, part.bytes === 0 ? undefined : facts);
  }

  /** True when bytes of an earlier run are part of the file. */
  get continued(): boolean {
    return this.#continued;
  }

  /** Forgets all bytes. */
  async restart(): Promise<void> {
    await this.#part.restart();
    this.#facts = undefined;
    this.#totalBytes = this.#request.expected.sizeBytes;
    this.#continued = false;
  }

  /** What has arrived; ends the download. */
  found(): Downloaded {
    return { sizeBytes: this.#part.bytes, sha256: this.#part.sha256() };
  }

  /** Makes one request and takes what it brings; `undefined` once the file is whole. */
  async attempt(): Promise<Setback | undefined> {
    const watch = new StallWatch(this.#transfer.settings.stallMs, this.#transfer.signal);
    return thenClose(
      () => this.#attempt(watch),
      () => {
        watch.end();
        return this.#part.close();
      },
    );
  }

  async #attempt(watch: StallWatch): Promise<Setback | undefined> {
    const { platform, ensureSpace, signal } = this.#transfer;
    const { address, expected } = this.#request;
    signal?.throwIfAborted();
    const part = this.#part;
    if (part.bytes > 0 && !canContinue(this.#transfer, this.#request, this.#facts)) await this.restart();
    this.#showPosition();
    if (part.bytes > 0 && part.bytes === this.#totalBytes) return undefined;

    const before = part.bytes;
    const setback = (error: OptioError, more: Partial<Setback> = {}): Setback => {
      return { error, gainedBytes: Math.max(0, part.bytes - before), ...more };
    };
    let answered = false;
    try {
      const response = await watch.guard(
        platform.fetch(address, { headers: this.#headers(), signal: watch.signal, cache: "no-store" }),
      );
      answered = true;
      const plan = planResponse(response, { from: before, facts: this.#facts, expectedBytes: expected.sizeBytes });
      if (plan.kind === "fail") throw this.#failed(plan.reason);
      if (plan.kind === "complete") return undefined;
      if (plan.kind === "retry") return setback(this.#failed(plan.reason), { afterMs: plan.afterMs });
      if (plan.kind === "restart") {
        await this.restart();
        return setback(this.#failed(plan.reason));
      }
      this.#totalBytes ??= plan.totalBytes;
      if (this.#totalBytes !== undefined) await ensureSpace(this.#totalBytes - before, this.#from);
      const body = readBody(response, watch);
      if (plan.from === 0) await this.#takeFromStart(body, response.headers, plan.totalBytes);
      else await this.#take(body);
      const isShort = this.#totalBytes !== undefined && part.bytes < this.#totalBytes;
      return isShort ? setback(this.#failed("the connection ended early")) : undefined;
    } catch (error) {
      signal?.throwIfAborted();
      if (OptioError.isInstance(error)) throw error;
      if (watch.stalled) return setback(this.#stalled());
      if (!answered) return setback(requestFailed(this.#from, error), isUnreachable(error) ? { attempts: 2 } : {});
      return setback(this.#failed(`the connection broke: ${networkReason(error)}`));
    }
  }

  /** Takes a whole file: nothing of it is kept before its first bytes and its size are right. */
  async #takeFromStart(
    body: AsyncGenerator<Uint8Array>,
    headers: Headers,
    totalBytes: number | undefined,
  ): Promise<void> {
    const { magic, address, part, expected } = this.#request;
    let head: Uint8Array = new Uint8Array(0);
    while (head.length < magic.bytes.length) {
      const next = await body.next();
      if (next.done) break;
      head = joinBytes([head, next.value]);
    }
    checkMagic(head, magic, this.#from);
    const difference = differenceOf(address, { sizeBytes: totalBytes }, expected);
    if (difference !== undefined) throw difference;

    await this.restart();
    this.#totalBytes ??= totalBytes;
    this.#facts = partFactsOf(address, headers);
    await this.#transfer.platform.facts.set(part, { ...this.#facts });
    this.#showPosition();
    await this.#write(head);
    await this.#take(body);
  }

  async #take(body: AsyncGenerator<Uint8Array>): Promise<void> {
    for await (const bytes of body) await this.#write(bytes);
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const { platform } = this.#transfer;
    const { files } = platform;
    const { part, expected } = this.#request;
    // A body without an end must not fill the disk.
    if (expected.sizeBytes !== undefined && this.#part.bytes + bytes.length > expected.sizeBytes) {
      await this.restart();
      await discardPart(platform, part);
      throw new OptioError("hash_mismatch", `${this.#from} sends more than the ${expected.sizeBytes} bytes published`, {
        details: { expectedBytes: expected.sizeBytes },
      });
    }
    try {
      await this.#part.write(bytes);
    } catch (error) {
      if (!OptioError.isInstance(error, "no_space")) throw error;
      const missing = (this.#totalBytes ?? this.#part.bytes + bytes.length) - this.#part.bytes;
      throw noSpace(this.#from, missing, await files.freeBytes(), error);
    }
    this.#transfer.meter.received(bytes.length);
  }

  #headers(): Record<string, string> {
    const { bytes } = this.#part;
    // Compressed bytes could not be continued, and their length says nothing about the file.
    const plain = { ...this.#request.headers, "accept-encoding": "identity" };
    if (bytes === 0) return plain;
    const validator = ifRange(this.#transfer, this.#request, this.#facts);
    return { ...plain, range: `bytes=${bytes}-`, ...(validator === undefined ? {} : { "if-range": validator }) };
  }

  #showPosition(): void {
    const { within } = this.#request;
    this.#transfer.meter.standAt((within?.start ?? 0) + this.#part.bytes, within?.total ?? this.#totalBytes);
  }

  #failed(reason: string): OptioError {
    return new OptioError("download_failed", `${this.#from} did not give the file: ${reason}`, {
      details: { address: this.#from, keptBytes: this.#part.bytes },
    });
  }

  #stalled(): OptioError {
    const { stallMs } = this.#transfer.settings;
    const keptBytes = this.#part.bytes;
    const message = `${this.#from} sent nothing for ${stallMs / 1000} s; ${byteSize(keptBytes)} are kept`;
    return new OptioError("download_stalled", message, { details: { address: this.#from, stallMs, keptBytes } });
  }
}

/** Without a published hash only the server can say that its file is still the same. */
function canContinue(transfer: Transfer, request: DownloadRequest, facts: PartFacts | undefined): boolean {
  return request.expected.sha256 !== undefined || ifRange(transfer, request, facts) !== undefined;
}

function ifRange(
  { platform }: Transfer,
  { address }: DownloadRequest,
  facts: PartFacts | undefined,
): string | undefined {
  return platform.mayAskIfRange(address) ? rangeValidator(facts) : undefined;
}

async function* readBody(response: Response, watch: StallWatch): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await watch.guard(reader.read());
    if (done) return;
    yield value;
  }
}
