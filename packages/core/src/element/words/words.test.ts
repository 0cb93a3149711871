import { describe, expect, it } from "vitest";
import { english } from "./en.js";
import { french } from "./fr.js";
import { wordsFor } from "./words-for.js";

/** Every text of a table by its path; functions are called with marks for what they are given. */
function texts(table: object, path = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(table)) {
    const at = `${path}/${key}`;
    if (typeof value === "string") found.set(at, value);
    else if (typeof value === "object") for (const entry of texts(value, at)) found.set(...entry);
    else if (key === "failure") found.set(at, value({ code: "c", message: "⟦0⟧", hint: "⟦1⟧" }));
    else if (key === "unavailable") found.set(at, value({ id: "⟦0⟧" }));
    else found.set(at, value(...Array.from({ length: value.length }, (_, index) => `⟦${index}⟧`)));
  }
  return found;
}

/** Terms of the field, which the details pane alone may show. */
const jargon = /logit|softmax|entropy|token|calibrat|noul|\bece\b|argmax|accurate/i;

describe.each([english, french])("the words in $language", (words) => {
  it("show all that they are given", () => {
    for (const [path, text] of texts(words)) {
      const reference = texts(english).get(path) ?? "";
      const marks = (s: string) => [...s.matchAll(/⟦\d⟧/g)].map(String).sort();
      expect(marks(text), path).toEqual(marks(reference));
      expect(text.trim(), path).not.toBe("");
    }
  });

  it("use no term that only those who know models know", () => {
    for (const [path, text] of texts(words)) expect(text, path).not.toMatch(jargon);
  });
});

describe("French", () => {
  it("has a text of its own for everything", () => {
    const same = [...texts(french)].filter(
      ([path, text]) => texts(english).get(path) === text && /\p{L}{3}/u.test(text),
    );
    // "Pause" is a word of both, and what only joins its parts is the same everywhere.
    expect(same.map(([path]) => path)).toEqual(["/buttons/pause"]);
  });
});

describe("wordsFor", () => {
  it("takes the region for numbers, and English for what it does not know", () => {
    expect(wordsFor("fr-CA")).toMatchObject({ language: "fr-CA", yes: "Oui" });
    expect(wordsFor("de")).toBe(english);
  });
});
