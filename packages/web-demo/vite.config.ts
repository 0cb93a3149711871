import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { precachePlugin, serviceWorkerName } from "./build/precache-plugin.js";
import { contentSecurityPolicy } from "./server/headers.js";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  // Relative addresses: the page works in any folder of any site.
  base: "./",
  build: {
    target: "es2022",
    // A data: address would need a weaker policy than 'self'.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { index: here("index.html"), [serviceWorkerName]: here("src/offline/service-worker.ts") },
      output: {
        entryFileNames: ({ name }) => (name === serviceWorkerName ? "[name].js" : "assets/[name]-[hash].js"),
      },
    },
  },
  worker: { format: "es" },
  plugins: [precachePlugin()],
  server: {
    headers: {
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Embedder-Policy": "require-corp",
    },
  },
  preview: { headers: { "Content-Security-Policy": contentSecurityPolicy } },
});
