import { readFileSync } from "node:fs";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { describe, expect, it } from "vitest";
import { byteScorer, textOf } from "../../test/byte-scorer.js";
import { catalogue } from "../generated/models.js";
import { preparePromptFrame } from "./prompt-frame.js";
import { renderChatFrame } from "./template.js";

const read = (id: string) => readFileSync(new URL(`../../test/templates/${id}.jinja`, import.meta.url), "utf8");
/** Models whose file was read; their templates are kept as files. */
const known = catalogue.flatMap(({ id, template }) => (template === undefined ? [] : [{ id, template }]));
const frameOf = (template: string) => renderChatFrame(byteScorer(template).info.model);
const chatml = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}";

describe("renderChatFrame", () => {
  it.each(known)("splits the template of $id around system and user text", ({ id, template }) => {
    const text = read(id);
    expect(bytesToHex(sha256(utf8ToBytes(text)))).toBe(template.sha256);
    expect(frameOf(text)).toEqual({
      head: "<|im_start|>system\n",
      afterSystem: "<|im_end|>\n<|im_start|>user\n",
      tail: "<|im_end|>\n<|im_start|>assistant\n",
      afterAnswer: "<|im_end|>\n",
    });
  });

  it("puts the system text into the user's message where the template refuses, drops, moves or repeats it", () => {
    const refuses = `{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}${chatml}`;
    const drops = chatml.replace("{% for m in messages %}", "{% for m in messages if m.role != 'system' %}");
    const moves = chatml.replace("in messages %}", "in messages | reverse %}");
    const repeats = chatml.replace(
      "{{ m.content }}",
      "{% if m.role == 'system' %}{{ m.content }}{% endif %}{{ m.content }}",
    );
    for (const template of [refuses, drops, moves, repeats]) {
      expect(frameOf(template)).toMatchObject({ head: "<|im_start|>user\n" });
      expect(frameOf(template)).not.toHaveProperty("afterSystem");
    }
  });

  it.each([
    ["<think>\n", "<think>\n\n</think>\n\n"],
    ["<|START_THINKING|>", "<|START_THINKING|>\n\n<|END_THINKING|>\n\n"],
    ["<think>\n\n</think>\n\n", "<think>\n\n</think>\n\n"],
  ])("leaves no block of reasoning open that begins with %j", (opening, closed) => {
    const thinking = `${chatml}{% if add_generation_prompt %}<|im_start|>assistant\n${opening}{% endif %}`;
    expect(frameOf(thinking).tail).toBe(`<|im_end|>\n<|im_start|>assistant\n${closed}`);
  });

  it("renders templates that count or loop over tools without asking whether there are any", () => {
    const loops = `{% for tool in tools %}{{ tool }}{% endfor %}${chatml}`;
    const counts = `{% if tools | length > 0 %}tools{% endif %}${chatml}`;
    for (const template of [loops, counts]) expect(frameOf(template)).toEqual(frameOf(chatml));
  });

  it("lists no tools where the template asks whether there are any", () => {
    const asks = `{% if tools is defined %}no tools today{% endif %}${chatml}`;
    expect(frameOf(asks)).toEqual(frameOf(chatml));
  });

  it("knows no end of an answer where the template has no answers", () => {
    const oneTurn = `{% if messages[-1].role == 'assistant' %}{{ raise_exception('no answers') }}{% endif %}${chatml}`;
    expect(frameOf(oneTurn)).toEqual({ ...frameOf(chatml), afterAnswer: "" });
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

  it.each([
    ["{{ messages | no_such_filter }}", "no_such_filter"],
    ["{{ messages is no_such_test }}", "no_such_test"],
    ["{% raw %}{{ x }}{% endraw %}", "raw"],
    ["{{ '%s' % 'x' }}", "%"],
    ["{{ '{}'.format('x') }}", "`format`"],
    ["{{ raise_exception('only in pairs') }}", "only in pairs"],
  ])("names what %s uses that cannot be rendered", (template, named) => {
    expect(() => frameOf(template)).toThrow(
      expect.objectContaining({ code: "template_failed", message: expect.stringContaining(named) }),
    );
  });

  it("refuses a template that does not write the user's message once", () => {
    expect(() => frameOf("always the same")).toThrow(/user's message exactly once/);
    expect(() => frameOf(`${chatml}${chatml}`)).toThrow(/user's message exactly once/);
  });

  it("refuses a model without a template", () => {
    const { model } = byteScorer("").info;
    expect(() => renderChatFrame({ ...model, chatTemplates: {} })).toThrow(/bytes has no chat template/);
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

  it("ends answers with the first control token that the template writes behind one", async () => {
    expect((await preparePromptFrame(byteScorer(chatml), "S", signal)).endToken).toBe(257);
    const spaced = chatml.replace("<|im_end|>", " <|im_start|>");
    expect((await preparePromptFrame(byteScorer(spaced), "S", signal)).endToken).toBe(256);
  });

  it("ends answers with the vocabulary's end of turn, then of text, where the template writes none", async () => {
    const { info, ...scorer } = byteScorer("{% for m in messages %}{{ m.content }}\n{% endfor %}");
    const endWith = async (ends: { eotToken: number; eosToken: number }) =>
      preparePromptFrame({ ...scorer, info: { ...info, model: { ...info.model, ...ends } } }, "S", signal);
    expect((await endWith({ eotToken: 7, eosToken: 8 })).endToken).toBe(7);
    expect((await endWith({ eotToken: -1, eosToken: 8 })).endToken).toBe(8);
    expect(await endWith({ eotToken: -1, eosToken: -1 })).not.toHaveProperty("endToken");
  });

  it("knows what stands before the answer behind the last control token", async () => {
    const prompted = `${chatml}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}`;
    expect((await preparePromptFrame(byteScorer(prompted), "S", signal)).answerLead).toBe("assistant\n");
  });
});
