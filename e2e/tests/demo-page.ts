import { expect, type Locator, type Page } from "@playwright/test";

/** Phases of the page, as its panel names them in `data-phase`. */
export type PhaseKind =
  | "unsupported"
  | "empty"
  | "downloading"
  | "paused"
  | "verifying"
  | "loading"
  | "ready"
  | "running"
  | "failed";

/** The demo page, by what a person does on it. */
export class DemoPage {
  readonly page: Page;
  readonly #url: string;

  constructor(page: Page, url: string) {
    this.page = page;
    this.#url = url;
  }

  /** Goes to the page, in whatever state it comes up. */
  async visit(query: Readonly<Record<string, string>> = {}): Promise<void> {
    const search = new URLSearchParams({ model: "smollm2-135m-instruct", ...query });
    await this.page.goto(`${this.#url}?${search}`);
  }

  async open(query: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.visit(query);
    await expect(this.button("start")).toBeVisible();
    await expect(this.page.getByRole("radio").first()).toBeVisible();
  }

  button(action: string): Locator {
    return this.page.locator(`[data-action="${action}"]`);
  }

  get panel(): Locator {
    return this.page.locator("[data-phase]");
  }

  async reaches(kind: PhaseKind, timeout = 90_000): Promise<void> {
    await expect(this.panel).toHaveAttribute("data-phase", kind, { timeout });
  }

  /** Downloads if need be, and loads. */
  async load(): Promise<void> {
    await this.button("start").click();
    await this.reaches("ready");
  }

  async decide(): Promise<void> {
    await this.button("run").click();
    await this.reaches("ready");
  }

  async setText(text: string): Promise<void> {
    await this.page.getByLabel("What the decision is about").fill(text);
  }

  fact(name: string): Locator {
    return this.page.locator(`[data-fact="${name}"]`);
  }

  answer(question: string): Locator {
    return this.page.locator(`[data-question="${question}"]`);
  }

  /** Percents of an answer's bars, in their order on the page. */
  async bars(question: string): Promise<{ readonly label: string; readonly percent: number }[]> {
    const meters = await this.answer(question).getByRole("meter").all();
    return Promise.all(
      meters.map(async (meter) => ({
        label: (await meter.getAttribute("aria-label")) ?? "",
        percent: Number(await meter.getAttribute("aria-valuenow")),
      })),
    );
  }
}
