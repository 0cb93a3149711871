import type { Page } from "@playwright/test";

/** Has the page remember its workers, so that `endWorkers` can find them. To be called before the page is opened. */
export async function rememberWorkers(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const started: Worker[] = [];
    Object.assign(globalThis, { startedWorkers: started });
    globalThis.Worker = class extends Worker {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(url, options);
        started.push(this);
      }
    };
  });
}

/** Ends the page's workers as a browser short of memory would: the page's code is told nothing. Returns how many. */
export function endWorkers(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { startedWorkers } = globalThis as unknown as { startedWorkers: Worker[] };
    for (const worker of startedWorkers) worker.terminate();
    return startedWorkers.splice(0).length;
  });
}
