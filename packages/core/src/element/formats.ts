/** Numbers as a reader of one language expects them. */
export interface Formats {
  /** A probability as a whole percent; never 0 or 100, which nothing here is sure enough for. */
  percent(probability: number): string;
  /** Bytes in the decimal units that shops and browsers use. */
  bytes(count: number): string;
  /** A span of time, from milliseconds. */
  duration(milliseconds: number): string;
  /** With one digit after the point. */
  decimal(value: number): string;
  whole(value: number): string;
}

const made = new Map<string, Formats>();

/** @param language BCP 47; one that the runtime does not know gets English */
export function formatsFor(language: string): Formats {
  let formats = made.get(language);
  if (formats === undefined) {
    formats = makeFormats(knownLanguage(language));
    made.set(language, formats);
  }
  return formats;
}

function knownLanguage(language: string): string {
  try {
    return Intl.NumberFormat.supportedLocalesOf([language])[0] ?? "en";
  } catch {
    return "en";
  }
}

function makeFormats(language: string): Formats {
  const share = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 });
  const tenths = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const integer = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
  const unit = (name: string, digits: number) =>
    new Intl.NumberFormat(language, { style: "unit", unit: name, unitDisplay: "short", maximumFractionDigits: digits });
  const units = {
    gigabyte: unit("gigabyte", 1),
    megabyte: unit("megabyte", 0),
    kilobyte: unit("kilobyte", 0),
    millisecond: unit("millisecond", 0),
    second: unit("second", 1),
    minute: unit("minute", 0),
  };
  return {
    percent(probability) {
      if (probability < 0.01) return `< ${share.format(0.01)}`;
      if (probability > 0.99) return `> ${share.format(0.99)}`;
      return share.format(Math.round(probability * 100) / 100);
    },
    bytes(count) {
      if (count >= 1e9) return units.gigabyte.format(count / 1e9);
      if (count >= 1e6) return units.megabyte.format(count / 1e6);
      return units.kilobyte.format(count / 1e3);
    },
    duration(milliseconds) {
      if (milliseconds < 1_000) return units.millisecond.format(milliseconds);
      if (milliseconds < 60_000) return units.second.format(milliseconds / 1_000);
      const seconds = Math.round(milliseconds / 1_000);
      return `${units.minute.format(Math.floor(seconds / 60))} ${units.second.format(seconds % 60)}`;
    },
    decimal: (value) => tenths.format(value),
    whole: (value) => integer.format(value),
  };
}
