import type { Page } from "@playwright/test";
import type { DemoPage } from "./demo-page.js";
import { endWorkers, rememberWorkers } from "./end-workers.js";
import { expect, test } from "./fixtures.js";
import { slowDown } from "./slow-down.js";

const views = [
  { name: "wide-light", width: 1280, height: 900, colorScheme: "light" },
  { name: "wide-dark", width: 1280, height: 900, colorScheme: "dark" },
  { name: "narrow-light", width: 320, height: 720, colorScheme: "light" },
  { name: "narrow-dark", width: 320, height: 720, colorScheme: "dark" },
] as const;

/** A picture of the page in every view, for a person to look at, and what can be checked without one. */
async function look(page: Page, state: string): Promise<void> {
  for (const { name, width, height, colorScheme } of views) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow, `${state}, ${name}: pixels that need a sideways scroll`).toBeLessThanOrEqual(0);
    await page.screenshot({ path: `test-results/looks/${state}-${name}.png`, fullPage: true });
  }
}

/** Controls without a name, or smaller than a finger. Opens what is folded meanwhile, so that all of them are looked at. */
async function poorControls(page: Page): Promise<readonly string[]> {
  const folded = page.locator("details:not([open])");
  const count = await folded.count();
  const marked = page.locator("details[data-folded]");
  await folded.evaluateAll((all) => {
    for (const details of all) details.toggleAttribute("data-folded", true);
  });
  await marked.evaluateAll((all) => {
    for (const details of all) details.toggleAttribute("open", true);
  });
  expect(await marked.count()).toBe(count);
  const poor: string[] = [];
  for (const control of await page.locator("button, input, textarea, select, summary").all()) {
    if (!(await control.isVisible())) continue;
    const [tag, target] = await control.evaluate((element) => {
      // A label around a control is part of what can be pressed.
      const { width, height } = (element.closest("label") ?? element).getBoundingClientRect();
      return [element.outerHTML.slice(0, 80), Math.min(width, height)] as const;
    });
    if (target < 44) poor.push(`${tag}: ${target} px`);
    // A control is written as `- button "its name"`, a summary as `- text: its name`.
    const snapshot = await control.ariaSnapshot();
    if (!/"[^"]+"|: \S/.test(snapshot)) poor.push(`${tag} has no name: ${snapshot}`);
  }
  await marked.evaluateAll((all) => {
    for (const details of all) details.toggleAttribute("open", false);
  });
  return poor;
}

test("every state of the page can be looked at, narrow and wide, light and dark", async ({ demo }) => {
  await rememberWorkers(demo.page);
  await demo.open();
  await look(demo.page, "1-empty");
  expect(await poorControls(demo.page)).toEqual([]);

  const throttled = await slowDown(demo.page, 2e6);
  await demo.button("start").click();
  await expect(demo.panel).toContainText(/[1-9]\d? MB of 98 MB/);
  await look(demo.page, "2-downloading");
  await demo.button("pause").click();
  await demo.reaches("paused");
  await look(demo.page, "3-paused");
  await throttled.restore();

  await demo.load();
  await look(demo.page, "4-ready");
  await runLong(demo);
  await look(demo.page, "5-running");
  await endWorkers(demo.page);
  await demo.reaches("failed");
  await look(demo.page, "6-failed");

  await demo.setText("Subject: Charged twice\n\nMy card was charged twice. Refund me by Friday, or I will cancel.");
  await demo.decide();
  await demo.page.getByText("Receipt: what makes this repeatable").click();
  await look(demo.page, "7-answered");
  expect(await poorControls(demo.page)).toEqual([]);
});

test("a browser without WebAssembly SIMD is told what is missing", async ({ demo }) => {
  await demo.page.addInitScript(() => {
    WebAssembly.validate = () => false;
  });
  await demo.visit();
  await demo.reaches("unsupported");
  await expect(demo.panel).toContainText("SIMD");
  await expect(demo.button("reload")).toBeVisible();
  await look(demo.page, "0-unsupported");
});

test("the page can be used with the keyboard alone", async ({ demo }) => {
  await demo.open();
  await demo.button("start").focus();
  await demo.page.keyboard.press("Enter");
  await demo.reaches("ready");
  // The button that replaced the one pressed keeps the focus, or a keyboard user would start again at the top.
  await expect(demo.button("run")).toBeFocused();
  await demo.page.keyboard.press("Enter");
  await expect(demo.answer("team")).toBeVisible();
});

async function runLong(demo: DemoPage): Promise<void> {
  await demo.setText("The customer writes that the invoice is wrong and that nobody answers the phone. ".repeat(80));
  await demo.button("run").click();
  await expect(demo.page.getByText("go through the model")).toBeVisible();
}
