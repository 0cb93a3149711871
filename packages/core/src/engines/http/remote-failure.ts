import { z } from "zod";
import { type ErrorCode, errorHints, OptioError } from "../../errors.js";

export interface Refusal {
  /** Of HTTP. */
  readonly status: number;
  /** The body. */
  readonly text: string;
  readonly requestId?: string | null;
}

/**
 * What a System One server's refusal means. A server of ours names the code itself; of others the status and the type of error
 * tell. The shapes of bodies are those that the wire's own clients understand.
 *
 * @param who answered, as the message names it
 */
export function remoteFailure(who: string, { status, requestId, text }: Refusal): OptioError {
  const body = errorBody(text);
  const code = body.code ?? codeOf(status, body.type);
  const said = body.message === undefined ? "" : `: ${body.message.slice(0, 500)}`;
  return new OptioError(code, `${who} answered ${status}${said}`, {
    details: { status, ...(requestId == null ? {} : { requestId }) },
    ...(body.hint === undefined ? hintFor(status) : { hint: body.hint }),
  });
}

function codeOf(status: number, type: string | undefined): ErrorCode {
  if (type === "max_tokens_exceeded" || type === "exceed_context_size_error") return "context_too_long";
  if (status === 401 || status === 403) return "access_denied";
  if (status === 429 || status === 529) return "overloaded";
  if (status === 408 || status === 504) return "timeout";
  if (status === 404 || status === 405 || status >= 500)
    return status === 501 ? "model_unsupported" : "engine_unavailable";
  return "request_refused";
}

function hintFor(status: number): { readonly hint?: string } {
  if (status === 404 || status === 405) return { hint: "Check the address: no System One server answers there." };
  if (status >= 500 && status !== 501) return { hint: "Try again later; the server's log has the reason." };
  return {};
}

interface ErrorBody {
  readonly code?: ErrorCode | undefined;
  readonly type?: string | undefined;
  readonly message?: string | undefined;
  readonly hint?: string | undefined;
}

const text = z.string().optional().catch(undefined);
const named = z.object({ type: text, message: text });
const item = z.object({ loc: z.array(z.union([z.string(), z.number()])).catch([]), msg: z.string() });
const bodySchema = z.object({
  error: z.union([z.string(), named]).optional().catch(undefined),
  message: text,
  detail: z
    .union([z.string(), named, z.array(item)])
    .optional()
    .catch(undefined),
  optio: z.object({ code: text, hint: text }).optional().catch(undefined),
});

function errorBody(body: string): ErrorBody {
  const { data } = bodySchema.safeParse(parseJson(body));
  if (data === undefined) return {};
  const { error, message, detail, optio } = data;
  const type = typeof error === "object" ? error.type : undefined;
  const code =
    optio?.code !== undefined && Object.hasOwn(errorHints, optio.code) ? (optio.code as ErrorCode) : undefined;
  return {
    code,
    type,
    message: messageOf(error) ?? message ?? messageOf(detail),
    hint: code === undefined ? undefined : optio?.hint,
  };
}

function messageOf(said: z.infer<typeof bodySchema>["detail"]): string | undefined {
  if (typeof said === "string" || said === undefined) return said;
  if (!Array.isArray(said)) return said.message;
  return said.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ");
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
