import { endWorkers, rememberWorkers } from "./end-workers.js";
import { expect, type Hosting, test } from "./fixtures.js";

for (const hosting of ["isolated", "open"] satisfies Hosting[]) {
  test.describe(`served ${hosting}`, () => {
    test.use({ hosting });

    test("a worker that dies during a decision is reported, and the next decision works", async ({ demo }) => {
      await rememberWorkers(demo.page);
      await demo.open();
      await demo.load();
      await demo.setText("The invoice is wrong and nobody answers. ".repeat(80));
      await demo.button("run").click();
      await demo.reaches("running");
      await expect(demo.page.getByText("go through the model")).toBeVisible();

      const ended = Date.now();
      expect(await endWorkers(demo.page)).toBeGreaterThan(0);
      await demo.reaches("failed", 5_000);
      test.info().annotations.push({ type: "reported after ms", description: String(Date.now() - ended) });
      await expect(demo.panel).toContainText("engine_crashed");

      await demo.setText("My card was charged twice.");
      await demo.decide();
      await expect(demo.answer("team")).toBeVisible();
    });
  });
}
