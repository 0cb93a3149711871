import { copyFile, link, mkdir, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, preview } from "vite";

/**
 * Builds the subjects' page and serves it twice: with cross-origin isolation, and without. The models lie beside it.
 *
 * @param {string} outDir
 * @param {readonly { id: string, path: string }[]} files
 */
export async function startPageServers(outDir, files) {
  const root = fileURLToPath(new URL("pages", import.meta.url));
  const common = { root, configFile: /** @type {const} */ (false), logLevel: /** @type {const} */ ("error") };
  await build({
    ...common,
    build: { outDir, emptyOutDir: true, target: "es2022", assetsInlineLimit: 0 },
    worker: { format: "es" },
  });
  const placeOf = (/** @type {string} */ id) => {
    const file = files.find((candidate) => candidate.id === id);
    return `models/${id}/${basename(file?.path ?? "")}`;
  };
  for (const { id, path } of files) {
    const target = join(outDir, placeOf(id));
    await mkdir(dirname(target), { recursive: true });
    // A link where it can be: the file is large.
    await link(path, target).catch(() => symlink(path, target).catch(() => copyFile(path, target)));
  }

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
    addressOf: (/** @type {boolean} */ isolate) => (isolate ? isolated.address : open.address),
    modelIn: (/** @type {string} */ address, /** @type {string} */ id) => new URL(placeOf(id), address).href,
    async close() {
      await isolated.close();
      await open.close();
    },
  };
}
