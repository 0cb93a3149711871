import { createHash } from "node:crypto";
import type { Plugin } from "vite";

/** Name under which the service worker's entry is built and served: its address must not change from build to build. */
export const serviceWorkerName = "service-worker";

/**
 * Writes the list of the built page's files into the service worker, with a version made of their names and contents,
 * so that the worker's own bytes change whenever the page does.
 */
export function precachePlugin(): Plugin {
  return {
    name: "optio-precache",
    apply: "build",
    enforce: "post",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        const hash = createHash("sha256");
        const files: string[] = [];
        const workerFile = `${serviceWorkerName}.js`;
        for (const name of Object.keys(bundle).sort()) {
          const output = bundle[name];
          if (output === undefined || name === workerFile || name.endsWith(".map")) continue;
          files.push(name === "index.html" ? "./" : name);
          hash
            .update(name)
            .update("\0")
            .update(output.type === "chunk" ? output.code : output.source);
        }
        const worker = bundle[workerFile];
        if (worker?.type !== "chunk") {
          this.error(`the build has no ${workerFile}: it must be an entry of that name`);
        }
        const precache = JSON.stringify({ version: hash.digest("hex").slice(0, 16), files });
        worker.code = `const OPTIO_PRECACHE = ${precache};\n${worker.code}`;
      },
    },
  };
}
