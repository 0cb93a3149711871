import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stateText, wellFormed } from "./state-text.js";

describe("stateText", () => {
  it("leaves text as it is", () => {
    const text = "  two\r\nlines\t\u0000\u{1f600} ";
    expect(stateText({ kind: "text", text })).toBe(text);
  });

  it("indents JSON and keeps the order of its keys", () => {
    const value = { b: [1, null], a: { text: "line\nbreak" } };
    expect(stateText({ kind: "json", value })).toBe(
      '{\n  "b": [\n    1,\n    null\n  ],\n  "a": {\n    "text": "line\\nbreak"\n  }\n}',
    );
  });

  it("writes a conversation as a line a message", () => {
    const messages = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "How can I help?" },
    ];
    expect(stateText({ kind: "messages", messages })).toBe("user: Hello\nassistant: How can I help?");
  });

  it("replaces halves of surrogate pairs, which UTF-8 cannot hold", () => {
    expect(stateText({ kind: "text", text: "a\ud83d b\ude00 \u{1f600}" })).toBe("a\ufffd b\ufffd \u{1f600}");
  });
});

describe("wellFormed", () => {
  it("gives text that survives UTF-8", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
        const text = wellFormed(`${a}\ud800${b}\udc00`);
        expect(new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text))).toBe(text);
      }),
    );
  });
});
