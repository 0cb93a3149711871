import { describe, expect, it } from "vitest";
import { thenClose } from "./then-close.js";

const fails = (reason: string) => () => Promise.reject(reason);

describe("thenClose", () => {
  it("gives what the work gives, once closed", async () => {
    const steps: string[] = [];
    const result = await thenClose(
      async () => steps.push("work"),
      async () => steps.push("close"),
    );
    expect(result).toBe(1);
    expect(steps).toEqual(["work", "close"]);
  });

  it("closes after a failure, whose error comes out even if closing fails as well", async () => {
    let closed = 0;
    const close = async () => {
      closed += 1;
      return Promise.reject("close");
    };
    await expect(thenClose(fails("work"), close)).rejects.toBe("work");
    expect(closed).toBe(1);
  });

  it("fails when only closing fails", async () => {
    await expect(thenClose(async () => 1, fails("close"))).rejects.toBe("close");
  });
});
