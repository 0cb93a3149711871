import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { byteScorer, textOf } from "../../test/byte-scorer.js";
import { preparePromptFrame } from "./prompt-frame.js";
import { renderChatFrame } from "./template.js";

const read = (name: string) => readFileSync(new URL(`../../test/templates/${name}.jinja`, import.meta.url), "utf8");
const frameOf = (template: string) => renderChatFrame(byteScorer(template).info.model);
const chatml = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}";

describe("renderChatFrame", () => {
  it.each(["smollm2", "qwen2.5-coder"])("splits the template of %s around system and user text", (name) => {
    expect(frameOf(read(name))).toEqual({
      head: "<|im_start|>system\n",
      afterSystem: "<|im_end|>\n<|im_start|>user\n",
      tail: "<|im_end|>\n<|im_start|>assistant\n",
      afterAnswer: "<|im_end|>\n",
    });
  });

  it("puts the system text into the user's message where the template refuses or drops it", () => {
    const refuses = `{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}${chatml}`;
    const drops = chatml.replace("{% for m in messages %}", "{% for m in messages if m.role != 'system' %}");
    for (const template of [refuses, drops]) {
      expect(frameOf(template)).toMatchObject({ head: "<|im_start|>user\n" });
      expect(frameOf(template)).not.toHaveProperty("afterSystem");
    }
  });

  it("closes a block of reasoning that the template opens", () => {
    const thinking = `${chatml}{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n{% endif %}`;
    expect(frameOf(thinking).tail).toMatch(/<think>\n\n<\/think>\n\n$/);
  });

  it("switches thinking off where the template asks", () => {
    const asks = `${chatml}{% if add_generation_prompt %}A{% if enable_thinking %}<think>{% endif %}{% endif %}`;
    expect(frameOf(asks).tail).toBe("<|im_end|>\nA");
  });

  it("pins the date and says so", () => {
    const dated = `Today: {{ strftime_now('%d %b %Y') }}\n${chatml}`;
    expect(frameOf(dated)).toMatchObject({
      head: "Today: 01 Jan 2026\n<|im_start|>system\n",
      pinnedDate: "2026-01-01",
    });
    expect(frameOf(chatml)).not.toHaveProperty("pinnedDate");
  });

  it("names what a template uses that cannot be rendered", () => {
    expect(() => frameOf("{{ messages | no_such_filter }}")).toThrow(
      expect.objectContaining({ code: "template_failed", message: expect.stringContaining("no_such_filter") }),
    );
    expect(() => frameOf("always the same")).toThrow(/user's message exactly once/);
  });
});

describe("preparePromptFrame", () => {
  const { signal } = new AbortController();

  it("begins with exactly one BOS where the metadata asks for one", async () => {
    const bare = await preparePromptFrame(
      byteScorer("{% for m in messages %}{{ m.content }}\n{% endfor %}", { addBos: true }),
      "S",
      signal,
    );
    expect(textOf(bare.head)).toBe("<|im_start|>S\n");
    const written = await preparePromptFrame(byteScorer(chatml, { addBos: true }), "S", signal);
    expect(textOf(written.head)).toBe("<|im_start|>system\nS<|im_end|>\n<|im_start|>user\n");
  });

  it("adds no BOS where the metadata does not ask for one", async () => {
    const frame = await preparePromptFrame(
      byteScorer("{% for m in messages %}{{ m.content }}\n{% endfor %}"),
      "S",
      signal,
    );
    expect(textOf(frame.head)).toBe("S\n");
  });

  it("ends answers with what the template writes behind one", async () => {
    expect((await preparePromptFrame(byteScorer(chatml), "S", signal)).endToken).toBe(257);
  });
});
