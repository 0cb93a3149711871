import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "./fixtures.js";
import { watchRequests } from "./outside.js";

// The other tests trust that a request to anywhere else is noticed. Here requests are really made.

const scripts: Readonly<Record<string, string>> = {
  "/": "<!doctype html><title>guard</title>",
  "/worker.js": "onmessage = ({ data }) => fetch(data).then(() => postMessage('sent'), () => postMessage('sent'));",
  "/sw.js":
    "onmessage = (event) => event.waitUntil(fetch(event.data).catch(() => 0).then(() => event.source.postMessage('sent')));" +
    "onactivate = (event) => event.waitUntil(clients.claim());",
};

let server: Server;
let origin: string;

test.beforeAll(async () => {
  server = createServer((request, response) => {
    const body = scripts[request.url ?? ""];
    const type = request.url === "/" ? "text/html" : "text/javascript";
    response.writeHead(body === undefined ? 404 : 200, { "content-type": type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

test.afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test("a request to another host is noticed, whoever sends it", async ({ page, outside }) => {
  await page.goto(origin);
  outside.take();

  await page.evaluate(() => fetch("http://elsewhere.test/from-page").catch(() => undefined));
  expect(outside.take()).toEqual(["http://elsewhere.test/from-page"]);

  await page.evaluate(
    () =>
      new Promise((resolve) => {
        const worker = new Worker("/worker.js");
        worker.onmessage = resolve;
        worker.postMessage("http://elsewhere.test/from-worker");
      }),
  );
  expect(outside.take()).toEqual(["http://elsewhere.test/from-worker"]);

  await page.evaluate(async () => {
    await navigator.serviceWorker.register("/sw.js");
    const { active } = await navigator.serviceWorker.ready;
    await new Promise((resolve) => {
      navigator.serviceWorker.onmessage = resolve;
      active?.postMessage("http://elsewhere.test/from-service-worker");
    });
  });
  expect(outside.take()).toEqual(["http://elsewhere.test/from-service-worker"]);
});

test("a request to another port of this machine is noticed", async ({ page, context, servers }) => {
  const foreign = watchRequests(context, origin);
  await page.goto(origin);
  await page.evaluate((url) => fetch(url, { mode: "no-cors" }).catch(() => undefined), servers.open.url);
  expect(foreign).toEqual([servers.open.url]);
});
