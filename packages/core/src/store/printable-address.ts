/** An address without what may be secret in it: credentials and the query. */
export function printableAddress(address: string): string {
  try {
    const url = new URL(address);
    return `${url.origin}${url.pathname}`;
  } catch {
    return address;
  }
}
