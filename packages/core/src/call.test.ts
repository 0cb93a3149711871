import { describe, expect, it } from "vitest";
import { startCall, untilAborted } from "./call.js";
import { OptioError } from "./errors.js";

const never = new Promise<never>(() => undefined);

describe("startCall", () => {
  it("rejects with the signal's own reason", async () => {
    const controller = new AbortController();
    using call = startCall({ signal: controller.signal }, "A decision");
    const outcome = call.race(never);
    const reason = { why: "the user left" };
    controller.abort(reason);
    await expect(outcome).rejects.toBe(reason);
  });

  it("rejects with a timeout that says how long was allowed", async () => {
    using call = startCall({ timeoutMs: 10 }, "A decision");
    await expect(call.race(never)).rejects.toMatchObject({ code: "timeout", details: { timeoutMs: 10 } });
    expect(call.remainingMs()).toBe(0);
  });

  it("throws at once when the signal has fired before", () => {
    expect(() => startCall({ signal: AbortSignal.abort("early") }, "A decision")).toThrow("early");
  });

  it.each([0, -1, Number.NaN])("refuses a time-out of %s", (timeoutMs) => {
    expect(() => startCall({ timeoutMs }, "A decision")).toThrow(OptioError);
  });

  it("treats a limit beyond a timer's range as none", async () => {
    using call = startCall({ timeoutMs: 2 ** 40 }, "A decision");
    await expect(call.race(Promise.resolve("done"))).resolves.toBe("done");
  });

  it("lets go of the signal when it is disposed of", () => {
    const controller = new AbortController();
    const call = startCall({ signal: controller.signal, timeoutMs: 60_000 }, "A decision");
    call[Symbol.dispose]();
    controller.abort();
    expect(call.signal.aborted).toBe(false);
  });
});

describe("untilAborted", () => {
  it("keeps a late failure of the work from going unhandled", async () => {
    const controller = new AbortController();
    let fail: (reason: unknown) => void = () => undefined;
    const work = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const outcome = untilAborted(work, controller.signal);
    controller.abort("gone");
    await expect(outcome).rejects.toBe("gone");
    fail(new OptioError("internal", "too late"));
    await Promise.resolve();
  });
});
