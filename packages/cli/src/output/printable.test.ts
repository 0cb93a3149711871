import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable } from "./printable.js";

describe("printable", () => {
  it("takes the power out of escape sequences", () => {
    expect(printable("\u001b[31mred\u001b]0;title\u0007")).toBe("\uFFFD[31mred\uFFFD]0;title\uFFFD");
  });

  it("writes line breaks as spaces and leaves other scripts alone", () => {
    expect(printable("a\r\n\tb Grüße 日本語 🙂")).toBe("a b Grüße 日本語 🙂");
  });

  it("leaves no control character in any text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => !/\p{Cc}/u.test(printable(text))));
  });
});
