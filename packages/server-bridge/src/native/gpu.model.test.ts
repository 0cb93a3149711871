import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { createDecider, noul } from "@optio/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type NativeOptions, native } from "../../dist/index.js";

const model = "smollm2-135m-instruct";
const question = {
  questions: { angry: noul("Is the customer angry?") },
  state: "I was charged twice. Refund me today!",
};
const readout = { kind: "letter", orders: 2, prior: false } as const;

async function decideWith(options: NativeOptions) {
  await using decider = createDecider({ engine: native({ model, threads: 2, ...options }), readout });
  return await decider.decide(question);
}

/** Mesa's Vulkan driver for processors, which stands in for a graphics card. */
const softwareCard = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"]
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder))
  .some((name) => name.startsWith("lvp_icd"));
/** llama.cpp leaves such drivers alone unless it is told which card to use. */
const choice = "GGML_VK_VISIBLE_DEVICES";

describe("the native engine on a graphics card", () => {
  it("says which package is missing", () => {
    const asked = decideWith({ gpu: "cuda", gpuLayers: "all" });
    return expect(asked).rejects.toMatchObject({
      code: "engine_unavailable",
      hint: expect.stringContaining("@node-llama-cpp/linux-x64-cuda@3.21.1"),
    });
  });

  it("says that there is no card, unless it may do without", async () => {
    process.env[choice] = "";
    const asked = decideWith({ gpu: "vulkan", gpuLayers: 10 });
    await expect(asked).rejects.toMatchObject({ code: "engine_unavailable", message: expect.stringContaining("card") });
    const { receipt } = await decideWith({ gpu: "vulkan", gpuLayers: "auto" });
    expect(receipt.engine.backend).toMatch(/^cpu/);
    delete process.env[choice];
  });

  describe.runIf(softwareCard)("that is a driver of Mesa's", () => {
    beforeAll(() => {
      process.env[choice] = "0";
    });
    afterAll(() => {
      delete process.env[choice];
    });

    it("decides as the processor does, and the receipt names it", async () => {
      const there = await decideWith({ gpu: "vulkan", gpuLayers: 2 });
      expect(there.receipt.engine.backend).toBe("Vulkan0");
      const here = await decideWith({});
      const logit = (p: number) => Math.log(p / (1 - p));
      expect(Math.abs(logit(there.answers.angry.noul) - logit(here.answers.angry.noul))).toBeLessThan(0.3);
    });

    it("leaves no folder behind", () => {
      const script = `
        const { native } = await import(${JSON.stringify(new URL("../../dist/index.js", import.meta.url).href)});
        const engine = await native({ model: "${model}", gpu: "vulkan", gpuLayers: 1 }).start({});
        await engine.close();`;
      const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("optio-libraries-"));
      const before = folders();
      execFileSync(process.execPath, ["--input-type=module", "--eval", script]);
      expect(folders()).toEqual(before);
    });
  });
});
