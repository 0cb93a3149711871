import { copyFile, link, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, preview } from "vite";

/**
 * Builds the subjects' page and serves it twice: with cross-origin isolation, and without. The model lies beside it.
 *
 * @param {string} modelPath
 */
export async function startPageServers(modelPath) {
  const outDir = await mkdtemp(join(tmpdir(), "optio-bench-"));
  const root = fileURLToPath(new URL("pages", import.meta.url));
  const common = { root, configFile: /** @type {const} */ (false), logLevel: /** @type {const} */ ("error") };
  await build({
    ...common,
    build: { outDir, emptyOutDir: true, target: "es2022", assetsInlineLimit: 0 },
    worker: { format: "es" },
  });
  const file = basename(modelPath);
  await mkdir(join(outDir, "models"));
  const target = join(outDir, "models", file);
  // A link where it can be: the file is large.
  await link(modelPath, target).catch(() => symlink(modelPath, target).catch(() => copyFile(modelPath, target)));

  const serve = async (/** @type {Record<string, string>} */ headers) => {
    const server = await preview({ ...common, build: { outDir }, preview: { port: 0, host: "127.0.0.1", headers } });
    return { address: server.resolvedUrls?.local[0] ?? "", close: () => server.close() };
  };
  const isolated = await serve({
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
  });
  const open = await serve({});
  return {
    isolated: isolated.address,
    open: open.address,
    modelIn: (/** @type {string} */ address) => new URL(`models/${file}`, address).href,
    async close() {
      await isolated.close();
      await open.close();
      await rm(outDir, { recursive: true, force: true });
    },
  };
}
