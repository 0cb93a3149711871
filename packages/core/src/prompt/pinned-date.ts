/** The day that templates are told it is: a prompt must not change overnight. */
export const pinnedDate = "2026-01-01";

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** `strftime` of the pinned day at midnight, for the directives that chat templates use; others stay as they are. */
export function formatPinnedDate(format: string): string {
  const date = new Date(`${pinnedDate}T00:00:00Z`);
  const month = months[date.getUTCMonth()] ?? "";
  const day = days[date.getUTCDay()] ?? "";
  const two = (value: number): string => String(value).padStart(2, "0");
  const values: Readonly<Record<string, string>> = {
    Y: String(date.getUTCFullYear()),
    y: two(date.getUTCFullYear() % 100),
    m: two(date.getUTCMonth() + 1),
    d: two(date.getUTCDate()),
    B: month,
    b: month.slice(0, 3),
    A: day,
    a: day.slice(0, 3),
    H: "00",
    I: "12",
    M: "00",
    S: "00",
    p: "AM",
    "%": "%",
  };
  return format.replace(/%(.)/g, (directive, name: string) => values[name] ?? directive);
}
