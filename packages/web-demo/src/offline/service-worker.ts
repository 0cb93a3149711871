/// <reference lib="webworker" />

/**
 * Keeps the page itself, so that it opens without a network after one visit. Model files never pass through here: they
 * lie in the origin's private file system.
 */

/** Put here by `build/precache-plugin.ts`: the page's files, and a version that changes with their content. */
declare const OPTIO_PRECACHE: { readonly version: string; readonly files: readonly string[] };

declare const self: ServiceWorkerGlobalScope;

const { version, files } = OPTIO_PRECACHE;
const cachePrefix = "optio-page-";
const cacheName = cachePrefix + version;
/** Decided by the page's server at each request, so never answered from the cache. */
const liveOnly = ["models/", "healthz"].map((path) => new URL(path, self.registration.scope).pathname);

self.addEventListener("install", (event) => {
  event.waitUntil(keepPage());
});

self.addEventListener("activate", (event) => {
  event.waitUntil(dropOldPages());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (liveOnly.some((live) => pathname.startsWith(live))) return;
  event.respondWith(request.mode === "navigate" ? freshElseKept(request) : keptElseFresh(request));
});

async function keepPage(): Promise<void> {
  const cache = await caches.open(cacheName);
  // "reload" passes over the browser's own cache, which may hold an older page.
  await cache.addAll(files.map((file) => new Request(file, { cache: "reload" })));
  await self.skipWaiting();
}

async function dropOldPages(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name.startsWith(cachePrefix) && name !== cacheName).map((name) => caches.delete(name)),
  );
  await self.clients.claim();
}

/** A reload while online shows the newest page; its hashed files come from wherever they are. */
async function freshElseKept(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(new URL("./", self.registration.scope).href, { ignoreVary: true });
    if (kept !== undefined) return kept;
    throw error;
  }
}

async function keptElseFresh(request: Request): Promise<Response> {
  return (await caches.match(request, { ignoreSearch: true, ignoreVary: true })) ?? fetch(request);
}
