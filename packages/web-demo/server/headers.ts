/**
 * What the page may load: its own origin and nothing else. `wasm-unsafe-eval` allows compiling WebAssembly, not `eval`.
 * Styles come from files and constructed style sheets, so no inline style is allowed either.
 */
export const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

/** Headers of every answer. With `isolate` the page may share memory between workers, which threads need. */
export function securityHeaders(isolate: boolean): Readonly<Record<string, string>> {
  const always = {
    "content-security-policy": contentSecurityPolicy,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  };
  if (!isolate) return always;
  return {
    ...always,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-resource-policy": "same-origin",
  };
}

/** The bundler puts a hash of the content into the names of these files; all others keep their names. */
export function cacheControl(pathname: string): string {
  return pathname.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
}
