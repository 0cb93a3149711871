import { startOptio } from "./optio-workload.mjs";

// One subject in a Node process of its own: says what it started, and then answers one piece of work after another.
/** @type {import("./node.mjs").HostSettings} */
const settings = JSON.parse(process.argv[2] ?? "");

// Whoever asked is gone, in whatever way: nothing of this must go on.
process.once("disconnect", () => process.exit());
try {
  const { facts, loadMs, measure } = await start();
  process.on("message", (/** @type {import("../measures.mjs").Work} */ work) => {
    measure(work).then((result) => process.send?.({ result }), fail);
  });
  process.send?.({ result: { facts, loadMs } });
} catch (error) {
  fail(error);
}

async function start() {
  const { model, threads, contextTokens } = settings;
  if (settings.engine === "node-llama-cpp") {
    const { startNodeLlamaCpp } = await import("./node-llama-cpp.mjs");
    return startNodeLlamaCpp(settings);
  }
  const { info, loadMs, measure } = await startOptio(await engineSource());
  return { facts: { backend: info.backend, threads: info.threads ?? threads }, loadMs, measure };

  async function engineSource() {
    if (settings.engine === "native") {
      const { native } = await import("@optio/server-bridge");
      return native({ model, threads, contextTokens });
    }
    const { wasm } = await import("@optio/core");
    const variant = /** @type {import("@optio/core").WasmVariant} */ (
      settings.engine === "wasm" ? settings.variant : undefined
    );
    return wasm({ model, threads, contextTokens, variant });
  }
}

/** @param {unknown} error */
function fail(error) {
  process.send?.({ error: error instanceof Error ? error.message : String(error) });
}
