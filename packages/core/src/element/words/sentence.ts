/** Messages of other programs, which may be part of ours, seldom end in a full stop. */
export function sentence(text: string): string {
  return /[.!?…]$/u.test(text) ? text : `${text}.`;
}
