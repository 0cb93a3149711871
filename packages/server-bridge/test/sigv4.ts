import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Who may sign, and for what. */
export interface SigningKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  readonly service: string;
}

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, data: string) => createHmac("sha256", key).update(data).digest();

/** Furthest that a request's clock may be off, in milliseconds. */
const clockSkewMs = 300_000;

/**
 * Computes a request's Signature Version 4 anew, as AWS does ("Create a signed AWS API request").
 *
 * @returns why it is refused, by the name of AWS's error; `undefined` when it is right
 */
export function refusedSignature(request: IncomingMessage, body: Uint8Array, key: SigningKey): string | undefined {
  const { headers } = request;
  const authorization =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/u.exec(
      headers.authorization ?? "",
    );
  if (authorization === null) return "MissingAuthenticationTokenException";
  const [, id, day = "", region = "", service = "", signed = "", signature = ""] = authorization;
  if (id !== key.accessKeyId) return "UnrecognizedClientException";
  if (region !== key.region || service !== key.service) return "InvalidSignatureException";

  const time = String(headers["x-amz-date"]);
  const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/u, "$1-$2-$3T$4:$5:$6Z"));
  if (!time.startsWith(day) || !(Math.abs(Date.now() - at) < clockSkewMs)) return "InvalidSignatureException";
  if (headers["x-amz-content-sha256"] !== sha256(body)) return "InvalidSignatureException";

  const names = signed.split(";");
  // What decides where a request goes and when it was made must be signed.
  if (!["host", "x-amz-date", "x-amz-content-sha256"].every((name) => names.includes(name))) {
    return "IncompleteSignature";
  }
  const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
  searchParams.sort();
  const canonical = [
    request.method,
    // Every segment of the path is encoded once more than on the wire.
    pathname.split("/").map(encodeURIComponent).join("/"),
    searchParams.toString(),
    ...names.map(
      (name) =>
        `${name}:${String(headers[name] ?? "")
          .trim()
          .replace(/ +/gu, " ")}`,
    ),
    "",
    signed,
    sha256(body),
  ].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const signingKey = [day, region, service, "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${key.secretAccessKey}`);
  const expected = createHmac("sha256", signingKey).update(toSign).digest();
  return timingSafeEqual(expected, Buffer.from(signature, "hex")) ? undefined : "InvalidSignatureException";
}
