import { z } from "zod";
import { OptioError } from "../errors.js";
import type { WheelMember } from "./catalogue.js";
import { printableAddress } from "./printable-address.js";
import { isUnreachable, RetryBudget, requestFailed, type Setback } from "./retry.js";
import { StallWatch } from "./stall-watch.js";
import type { Transfer } from "./transfer.js";

/** A wheel as a Python package index lists it. */
export interface Wheel {
  readonly fileName: string;
  readonly address: string;
  readonly sizeBytes?: number | undefined;
  readonly sha256?: string | undefined;
  /** For indexes that want a password. */
  readonly headers: Readonly<Record<string, string>>;
}

const projectSchema = z.object({
  files: z.array(
    z.object({
      filename: z.string(),
      url: z.string(),
      size: z.int().positive().optional(),
      hashes: z.record(z.string(), z.string()),
    }),
  ),
});

const accept = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1";

/**
 * Finds the wheel of one exact version on a simple index, by its JSON (PEP 691) or its page of links (PEP 503).
 *
 * @param index address of the index; may hold a user and password, which are sent to that host only
 * @throws OptioError `download_failed`, `download_stalled`; the signal's reason when aborted.
 */
export async function findWheel(transfer: Transfer, index: string, wanted: WheelMember): Promise<Wheel> {
  const { address: base, headers } = withoutCredentials(index);
  const address = `${base.replace(/\/+$/, "")}/${wanted.name.toLowerCase().replace(/[-_.]+/g, "-")}/`;
  const page = await fetchPage(transfer, address, { ...headers, accept });
  const listed = page.isJson ? fromJson(page, address) : fromLinks(page);
  const prefix = `${wanted.name.toLowerCase().replace(/[-_.]+/g, "_")}-${wanted.version}-`;
  // The name becomes that of a file here: it must not lead out of its folder.
  const wheels = listed.filter(
    ({ fileName }) => fileName.toLowerCase().startsWith(prefix) && /^[A-Za-z0-9._+!-]+\.whl$/.test(fileName),
  );
  const wheel = wheels.find(({ fileName }) => fileName.endsWith("-none-any.whl")) ?? wheels[0];
  if (wheel === undefined) {
    throw new OptioError("download_failed", `${printableAddress(address)} lists no wheel of version ${wanted.version}`);
  }
  return { ...wheel, headers: new URL(wheel.address).origin === new URL(base).origin ? headers : {} };
}

type Listed = Omit<Wheel, "headers">;

interface Page {
  readonly text: string;
  readonly address: string;
  readonly isJson: boolean;
}

function fromJson({ text, address }: Page, asked: string): readonly Listed[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new OptioError("download_failed", `${printableAddress(asked)} answered with broken JSON`, { cause });
  }
  const project = projectSchema.safeParse(value);
  if (!project.success) {
    throw new OptioError("download_failed", `${printableAddress(asked)} answered with an unknown list of files`, {
      cause: project.error,
    });
  }
  return project.data.files.map((file) => ({
    fileName: file.filename,
    address: new URL(file.url, address).href,
    sizeBytes: file.size,
    sha256: file.hashes["sha256"]?.toLowerCase(),
  }));
}

function fromLinks({ text, address }: Page): readonly Listed[] {
  return [...text.matchAll(/<a\s[^>]*?href\s*=\s*["']([^"']+)["']/gi)].flatMap(([, link = ""]) => {
    const target = link.replaceAll("&amp;", "&");
    if (!URL.canParse(target, address)) return [];
    const url = new URL(target, address);
    const sha256 = /sha256=([0-9a-f]{64})/i.exec(url.hash)?.[1]?.toLowerCase();
    url.hash = "";
    // Names of wheels have no character that an address would have to encode, but `+` often is.
    const fileName = (url.pathname.split("/").at(-1) ?? "").replaceAll(/%2b/gi, "+");
    return [{ fileName, address: url.href, sha256 }];
  });
}

async function fetchPage(transfer: Transfer, address: string, headers: Record<string, string>): Promise<Page> {
  const budget = new RetryBudget(transfer.settings);
  for (;;) {
    const answer = await askOnce(transfer, address, headers);
    if ("text" in answer) return answer;
    await budget.spend(answer, transfer.signal);
  }
}

async function askOnce(
  { platform, settings, signal }: Transfer,
  address: string,
  headers: Record<string, string>,
): Promise<Page | Setback> {
  const from = printableAddress(address);
  const watch = new StallWatch(settings.stallMs, signal);
  try {
    const response = await watch.guard(platform.fetch(address, { headers, signal: watch.signal }));
    const text = await watch.guard(response.text());
    if (response.ok) {
      const isJson = response.headers.get("content-type")?.includes("json") ?? false;
      return { text, address: response.url || address, isJson };
    }
    const error = new OptioError("download_failed", `${from} answered ${response.status}`);
    if (response.status !== 429 && response.status < 500) throw error;
    return { error, gainedBytes: 0 };
  } catch (error) {
    signal?.throwIfAborted();
    if (OptioError.isInstance(error)) throw error;
    if (watch.stalled) {
      const message = `${from} did not answer within ${settings.stallMs / 1000} s`;
      return { error: new OptioError("download_stalled", message), gainedBytes: 0 };
    }
    return { error: requestFailed(from, error), gainedBytes: 0, ...(isUnreachable(error) ? { attempts: 2 } : {}) };
  } finally {
    watch.end();
  }
}

// `fetch` refuses addresses with credentials in them.
function withoutCredentials(index: string): { address: string; headers: Record<string, string> } {
  let url: URL;
  try {
    url = new URL(index);
  } catch (cause) {
    throw new OptioError("invalid_setting", `the package index must be an http or https address, not "${index}"`, {
      cause,
    });
  }
  if (url.username === "" && url.password === "") return { address: url.href, headers: {} };
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = "";
  url.password = "";
  return { address: url.href, headers: { authorization: `Basic ${btoa(pair)}` } };
}
