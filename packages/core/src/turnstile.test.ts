import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Turnstile } from "./turnstile.js";

const open = new AbortController().signal;
const tick = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

describe("Turnstile", () => {
  it("runs work in the order of asking, one at a time", async () => {
    const gate = new Turnstile(100);
    const events: string[] = [];
    const work = (name: string) => () => {
      events.push(`${name} starts`);
      return tick().then(() => void events.push(`${name} ends`));
    };
    await Promise.all(["a", "b", "c"].map((name) => gate.run(open, work(name))));
    expect(events).toEqual(["a starts", "a ends", "b starts", "b ends", "c starts", "c ends"]);
  });

  it("lets those that wait go first when a turn is passed, beyond the limit of waiters", async () => {
    const gate = new Turnstile(1);
    const events: string[] = [];
    const long = gate.run(open, async (turn) => {
      for (const step of [1, 2, 3]) {
        await tick();
        events.push(`long ${step}`);
        await turn.pass();
      }
    });
    await tick();
    const short = gate.run(open, async () => void events.push("short"));
    await Promise.all([long, short]);
    expect(events).toEqual(["long 1", "short", "long 2", "long 3"]);
    await expect(gate.run(open, async () => "free")).resolves.toBe("free");
  });

  it("leaves the turn to the others when the one that passed it gives up waiting for it", async () => {
    const gate = new Turnstile(5);
    const controller = new AbortController();
    const passing = gate.run(controller.signal, async (turn) => {
      await tick();
      await turn.pass();
    });
    let end: () => void = () => undefined;
    const other = gate.run(open, () => new Promise<void>((resolve) => (end = resolve)));
    await tick();
    await tick();
    controller.abort("enough");
    await expect(passing).rejects.toBe("enough");
    const last = gate.run(open, async () => "last");
    end();
    await other;
    await expect(last).resolves.toBe("last");
  });

  it("refuses more waiters than allowed, at once", async () => {
    const gate = new Turnstile(1);
    const first = gate.run(open, tick);
    const second = gate.run(open, tick);
    await expect(gate.run(open, tick)).rejects.toMatchObject({ code: "queue_full", details: { maxQueue: 1 } });
    await Promise.all([first, second]);
  });

  it("rejects the caller at once on abort, and holds the turn until the work has ended", async () => {
    const gate = new Turnstile(10);
    const controller = new AbortController();
    let end: () => void = () => undefined;
    const first = gate.run(controller.signal, () => new Promise<void>((resolve) => (end = resolve)));
    let secondRan = false;
    const second = gate.run(open, async () => {
      secondRan = true;
    });
    await tick();
    controller.abort("stop");
    await expect(first).rejects.toBe("stop");
    expect(secondRan).toBe(false);
    end();
    await second;
    expect(secondRan).toBe(true);
  });

  it("tells waiters how many are ahead", async () => {
    const gate = new Turnstile(10);
    const seen: number[] = [];
    const first = gate.run(open, tick);
    const second = gate.run(open, tick);
    const third = gate.run(open, tick, (ahead) => seen.push(ahead));
    await Promise.all([first, second, third]);
    expect(seen).toEqual([2, 1]);
  });

  it("never gets stuck, whatever fails or is aborted", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ fails: fc.boolean(), abort: fc.option(fc.constantFrom("before", "soon")) }), {
          maxLength: 12,
        }),
        async (calls) => {
          const gate = new Turnstile(100);
          const settled = calls.map(({ fails, abort }) => {
            const controller = new AbortController();
            if (abort === "before") controller.abort("before");
            if (abort === "soon") setTimeout(() => controller.abort("soon"), 0);
            return gate.run(controller.signal, () => tick().then(() => (fails ? Promise.reject("failed") : "done")));
          });
          await Promise.allSettled(settled);
          await expect(gate.run(open, async () => "after")).resolves.toBe("after");
        },
      ),
      { numRuns: 30 },
    );
  });
});
