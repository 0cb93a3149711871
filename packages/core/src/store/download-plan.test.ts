import { describe, expect, it } from "vitest";
import { planResponse, rangeValidator } from "./download-plan.js";

const facts = { address: "http://host/model.gguf", etag: '"one"', lastModified: "earlier" };
const plan = (status: number, headers: Record<string, string>, from = 100, expectedBytes: number | undefined = 1000) =>
  planResponse({ status, headers: new Headers(headers) }, { from, facts, expectedBytes });

describe("what a response means for a partial download", () => {
  it("takes a whole file from the start, also when a range was asked for", () => {
    expect(plan(200, { "content-length": "1000" })).toEqual({ kind: "take", from: 0, totalBytes: 1000 });
  });

  it("believes no length of a body that was encoded on the way", () => {
    expect(plan(200, { "content-length": "10", "content-encoding": "gzip" })).toMatchObject({ totalBytes: undefined });
  });

  it("goes on where the range begins", () => {
    const headers = { "content-range": "bytes 100-999/1000", etag: '"one"' };
    expect(plan(206, headers)).toEqual({ kind: "take", from: 100, totalBytes: 1000 });
  });

  it("goes by the tag alone where there is one, since mirrors of a file differ in its date", () => {
    const headers = { "content-range": "bytes 100-999/1000", etag: '"one"', "last-modified": "later" };
    expect(plan(206, headers)).toMatchObject({ kind: "take" });
  });

  it.each([
    ["no range", {}],
    ["another start", { "content-range": "bytes 0-999/1000" }],
    ["another size", { "content-range": "bytes 100-1999/2000" }],
    ["another file", { "content-range": "bytes 100-999/1000", etag: '"two"' }],
    ["another date and no tag", { "content-range": "bytes 100-999/1000", "last-modified": "later" }],
  ])("begins again after a 206 with %s", (_, headers) => {
    expect(plan(206, headers)).toMatchObject({ kind: "restart" });
  });

  it("takes 416 for the end only when the size is what is there", () => {
    expect(plan(416, { "content-range": "bytes */100" })).toEqual({ kind: "complete" });
    expect(plan(416, { "content-range": "bytes */90" })).toMatchObject({ kind: "restart" });
    expect(plan(416, {})).toMatchObject({ kind: "restart" });
    expect(plan(416, { "content-range": "bytes */0" }, 0)).toMatchObject({ kind: "restart" });
  });

  it.each([408, 429, 500, 503])("tries again after %i", (status) => {
    expect(plan(status, { "retry-after": "2" })).toMatchObject({ kind: "retry", afterMs: 2000 });
  });

  it.each([401, 403, 404, 410])("gives up after %i", (status) => {
    expect(plan(status, {})).toMatchObject({ kind: "fail", reason: `it answered ${status}` });
  });
});

describe("what If-Range says", () => {
  it("is a strong tag, else the date, and never a weak tag", () => {
    const lastModified = "Tue, 01 Dec 2026 00:00:00 GMT";
    expect(rangeValidator({ ...facts, lastModified })).toBe('"one"');
    expect(rangeValidator({ ...facts, etag: 'W/"one"', lastModified })).toBe(lastModified);
    expect(rangeValidator({ address: facts.address, etag: 'W/"one"' })).toBeUndefined();
  });
});
