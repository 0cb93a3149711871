/**
 * Text as it may go to a terminal: line breaks and tabs become spaces, other control characters a mark, so that a
 * label or a row cannot move the cursor, change colours or rename the window.
 */
export function printable(text: string): string {
  // Controls of C0 and C1, and the marks that reverse the direction of text.
  return text.replace(/[\t\n\r]+/gu, " ").replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, "\uFFFD");
}
