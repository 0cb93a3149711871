import { expect, type Hosting, test } from "./fixtures.js";

const longText =
  "The customer writes that the invoice of last month is wrong and that nobody answers the phone. ".repeat(70);

// An abort must free the engine, not only the page: what is measured is when the next decision gets its turn.
// Without shared memory the scorer listens between batches only.
const limitsMs: Readonly<Record<Hosting, number>> = { isolated: 500, open: 3_000 };

for (const hosting of ["isolated", "open"] satisfies Hosting[]) {
  test.describe(`served ${hosting}`, () => {
    test.use({ hosting });

    test("stopping a decision in the middle of its text frees the engine at once", async ({ demo }) => {
      await demo.open();
      await demo.load();
      await demo.setText("Short.");
      await demo.decide();
      const alone = await wallMs(() => demo.decide());

      await demo.setText(longText);
      await demo.button("run").click();
      await demo.reaches("running");
      await expect(demo.page.getByText("go through the model")).toBeVisible();
      await demo.page.waitForTimeout(700);
      const pageMs = await wallMs(async () => {
        await demo.button("abort").click();
        await demo.reaches("ready");
      });
      await expect(demo.panel).toContainText("Nothing was decided");

      await demo.setText("Short.");
      const next = await wallMs(() => demo.decide());
      test
        .info()
        .annotations.push(
          { type: "page shows the stop after ms", description: String(pageMs) },
          { type: "a short decision alone ms", description: String(alone) },
          { type: "the same right after a stop ms", description: String(next) },
        );
      console.log(
        `${hosting}: stop shown after ${pageMs} ms; short decision alone ${alone} ms, after a stop ${next} ms`,
      );
      expect(next - alone).toBeLessThan(limitsMs[hosting]);
    });
  });
}

async function wallMs(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return Math.round(performance.now() - began);
}
