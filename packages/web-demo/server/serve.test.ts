import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningServer, serve } from "./serve.js";

const weights = Buffer.from("GGUF0123456789");
const model = { id: "tiny", file: "tiny.gguf", bytes: weights.length, sha256: "ab".repeat(32) };
const absent = { id: "absent", file: "absent.gguf", bytes: 5, sha256: "cd".repeat(32) };

let root: string;
let isolated: RunningServer;
let open: RunningServer;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "optio-serve-"));
  const distDir = join(root, "dist");
  const modelsDir = join(root, "models");
  await mkdir(join(distDir, "assets"), { recursive: true });
  await mkdir(join(modelsDir, model.sha256), { recursive: true });
  await writeFile(join(root, "secret.txt"), "secret");
  await writeFile(join(distDir, "index.html"), "<title>page</title>");
  await writeFile(join(distDir, "assets", "app-1a2b3c.js"), "export {}");
  await writeFile(join(distDir, "assets", "scorer-1a2b3c.wasm"), "wasm");
  await writeFile(join(modelsDir, model.sha256, model.file), weights);
  await writeFile(join(modelsDir, model.sha256, "other.gguf"), "not in the catalogue");
  const common = { port: 0, models: [model, absent], modelsDir, distDir };
  isolated = await serve(common);
  open = await serve({ ...common, isolate: false });
});

afterAll(async () => {
  await isolated.close();
  await open.close();
  await rm(root, { recursive: true });
});

/** Unlike `fetch`, sends the path exactly as it is given. */
function rawGet(path: string): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(isolated.url);
  return new Promise((resolve, reject) => {
    const call = request({ hostname, port, path }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        body += part;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    call.on("error", reject);
    call.end();
  });
}

describe("serve", () => {
  it("hands out the page without caching and hashed assets for good", async () => {
    const page = await fetch(isolated.url);
    expect(await page.text()).toContain("<title>page</title>");
    expect(page.headers.get("cache-control")).toBe("no-cache");
    const asset = await fetch(`${isolated.url}assets/app-1a2b3c.js`);
    expect(asset.headers.get("cache-control")).toContain("immutable");
    const wasm = await fetch(`${isolated.url}assets/scorer-1a2b3c.wasm`);
    expect(wasm.headers.get("content-type")).toBe("application/wasm");
  });

  it("isolates the page from other origins unless told not to", async () => {
    const isolatedPage = await fetch(isolated.url);
    expect(isolatedPage.headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(isolatedPage.headers.get("cross-origin-embedder-policy")).toBe("require-corp");
    const openPage = await fetch(open.url);
    expect(openPage.headers.get("cross-origin-embedder-policy")).toBeNull();
  });

  it("sends the content security policy with pages, assets, models and errors", async () => {
    for (const path of ["", "assets/app-1a2b3c.js", "models/tiny.gguf", "nothing"]) {
      const { headers } = await fetch(isolated.url + path);
      expect(headers.get("content-security-policy"), path).toContain("script-src 'self' 'wasm-unsafe-eval'");
    }
  });

  it("lists the models and whether they are here", async () => {
    const list = await (await fetch(`${isolated.url}models/`)).json();
    expect(list).toEqual([
      { id: "tiny", file: "tiny.gguf", bytes: weights.length, available: true },
      { id: "absent", file: "absent.gguf", bytes: 5, available: false },
    ]);
  });

  it("sends a model whole, in part, and not at all when the caller has it", async () => {
    const address = `${isolated.url}models/tiny.gguf`;
    const whole = await fetch(address);
    expect(whole.headers.get("content-length")).toBe(String(weights.length));
    expect(await whole.text()).toBe(weights.toString());
    const etag = whole.headers.get("etag") ?? "";

    const rest = await fetch(address, { headers: { range: "bytes=4-", "if-range": etag } });
    expect(rest.status).toBe(206);
    expect(rest.headers.get("content-range")).toBe(`bytes 4-13/${weights.length}`);
    expect(await rest.text()).toBe("0123456789");

    const changed = await fetch(address, { headers: { range: "bytes=4-", "if-range": '"other"' } });
    expect(changed.status).toBe(200);
    expect(await changed.text()).toBe(weights.toString());

    expect((await fetch(address, { headers: { range: "bytes=14-" } })).status).toBe(416);
    expect((await fetch(address, { headers: { "if-none-match": etag } })).status).toBe(304);
    const head = await fetch(address, { method: "HEAD" });
    expect(head.headers.get("content-length")).toBe(String(weights.length));
  });

  it("says how to get a known model that is not here", async () => {
    const response = await fetch(`${isolated.url}models/absent.gguf`);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain("optio models pull absent");
  });

  it.each([
    "/../secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e/secret.txt",
    "/assets/../../secret.txt",
    "/assets/..%5c..%5csecret.txt",
    "/models/../../secret.txt",
    "/models/..%2f..%2fsecret.txt",
    `/models/../${model.sha256}/other.gguf`,
    `/models/${model.sha256}%2fother.gguf`,
    "/models/other.gguf",
    "/models/tiny.gguf%00.txt",
    "/%",
    "//secret.txt",
  ])("keeps %s out of reach", async (path) => {
    const { status, body } = await rawGet(path);
    expect([400, 404]).toContain(status);
    expect(body).not.toContain("not in the catalogue");
    expect(body).not.toBe("secret");
  });

  it("refuses to be written to", async () => {
    const response = await fetch(isolated.url, { method: "POST", body: "x" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD");
  });

  it("answers health checks", async () => {
    expect(await (await fetch(`${isolated.url}healthz`)).text()).toBe("ok\n");
  });

  it("rejects when the port is taken, and closes twice without complaint", async () => {
    const first = await serve({ port: 0, models: [], distDir: join(root, "dist") });
    const port = Number(new URL(first.url).port);
    await expect(serve({ port, models: [], distDir: join(root, "dist") })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
    await first.close();
    await first.close();
  });
});
