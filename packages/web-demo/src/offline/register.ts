/** Keeps the page for offline use. A browser that refuses (private windows do) only loses that. */
export function keepForOffline(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  navigator.serviceWorker
    .register(new URL("service-worker.js", document.baseURI), { type: "module" })
    .catch(() => undefined);
}
