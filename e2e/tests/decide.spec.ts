import { expect, type Hosting, test } from "./fixtures.js";

const expectations: readonly { hosting: Hosting; variant: string; threads: RegExp }[] = [
  { hosting: "isolated", variant: "relaxed-simd-threads", threads: /\b[2-9] threads/ },
  { hosting: "open", variant: "relaxed-simd", threads: /\b1 thread\b/ },
];

for (const { hosting, variant, threads } of expectations) {
  test.describe(`a page served ${hosting === "isolated" ? "with" : "without"} cross-origin isolation`, () => {
    test.use({ hosting });

    test(`decides with the ${variant} build`, async ({ demo }) => {
      await demo.open();
      expect(await demo.page.evaluate(() => crossOriginIsolated)).toBe(hosting === "isolated");
      await demo.load();
      await demo.decide();

      await expect(demo.fact("engine")).toContainText(`wasm, ${variant},`);
      await expect(demo.fact("engine")).toContainText(threads);
      await expect(demo.fact("model")).toContainText("smollm2-135m-instruct");

      const team = await demo.bars("team");
      expect(team.map(({ label }) => label)).toEqual(["billing", "technical", "account", "sales"]);
      for (const question of ["team", "leaving", "urgency"]) {
        const bars = await demo.bars(question);
        const sum = bars.reduce((total, { percent }) => total + percent, 0);
        expect(Math.abs(sum - 100), `${question} sums to ${sum}`).toBeLessThanOrEqual(bars.length);
        // A scorer that read nothing would give every option the same.
        expect(new Set(bars.map(({ percent }) => percent)).size, question).toBeGreaterThan(1);
      }
    });
  });
}

test("nothing of a model is fetched before the button is pressed", async ({ demo }) => {
  const fetched: string[] = [];
  demo.page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
  await demo.open();
  await demo.page.waitForTimeout(1000);
  expect(fetched.filter((path) => path.endsWith(".gguf"))).toEqual([]);
  await demo.load();
  expect(fetched.filter((path) => path.endsWith(".gguf")).length).toBeGreaterThan(0);
});

test("the receipt names the model's hash, the engine and the readout", async ({ demo }) => {
  await demo.open();
  await demo.load();
  await demo.decide();
  await demo.page.getByText("Receipt: what makes this repeatable").click();
  const text = await demo.page.locator("optio-receipt-panel pre").textContent();
  const { receipt } = JSON.parse(text ?? "");
  expect(JSON.stringify(receipt)).toContain("b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53");
  expect(JSON.stringify(receipt)).toContain("simd-threads");
});

test("all builds give the same answers, those with relaxed SIMD but for the rounding", async ({ demo }) => {
  const answersOf = async (variant: string) => {
    await demo.open({ variant });
    await demo.load();
    await demo.decide();
    await expect(demo.fact("engine")).toContainText(`wasm, ${variant},`);
    return [...(await demo.bars("team")), ...(await demo.bars("leaving")), ...(await demo.bars("urgency"))];
  };
  const simd = await answersOf("simd");
  expect(await answersOf("simd-threads")).toEqual(simd);
  const relaxed = await answersOf("relaxed-simd");
  expect(await answersOf("relaxed-simd-threads")).toEqual(relaxed);

  expect(relaxed.map(({ label }) => label)).toEqual(simd.map(({ label }) => label));
  for (const [index, { label, percent }] of simd.entries()) {
    // The parity tests hold logits together within 0.1 nats, root mean square. The worst of some twenty may be three times that, as far again
    // in the other direction for its neighbour, and a probability of one half moves by a quarter of the sum.
    expect(Math.abs(percent - (relaxed[index]?.percent ?? Number.NaN)), label).toBeLessThanOrEqual(15);
  }
});

test("a question that cannot be read is explained beside it, and nothing runs", async ({ demo }) => {
  await demo.open();
  await demo.load();
  await demo.page.getByText("Which team should handle this ticket?").click();
  const options = demo.page.getByLabel("Options, one a line");
  await options.fill("billing");
  await demo.button("run").click();
  await expect(demo.page.getByRole("alert")).toContainText("option");
  await demo.reaches("ready");
  await expect(demo.answer("team")).toHaveCount(0);
  await options.fill("billing\nsales");
  await demo.decide();
  await expect(demo.answer("team")).toBeVisible();
  await expect(demo.page.getByRole("alert")).toHaveCount(0);
});
