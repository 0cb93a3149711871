/** What a failed `fetch` says, in a few words: its cause is more telling than itself. */
export function networkReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error) {
    if (cause.message !== "") return cause.message;
    if ("code" in cause) return String(cause.code);
  }
  return error.message;
}
