// Fits the JavaScript that emscripten writes around a module to what optio needs of it: it must run in a worker of a browser and of
// Node alike, ask its host for everything that lies outside (the compiled module, the threads), and name no files, because bundlers
// rename them.

const THREAD_HELPER = `
// A thread's worker is made by the host: createThread() on the module object. Node's workers get the handlers of the web's.
function optioThread(Module) {
  if (typeof Module["createThread"] !== "function") throw new Error("the threaded scorer needs createThread() on its module object");
  const worker = Module["createThread"]();
  if (typeof worker.addEventListener !== "function") {
    worker.on("message", (data) => worker.onmessage({ data }));
    worker.on("error", (error) => worker.onerror && worker.onerror(error));
  }
  return worker;
}
`;

// Gives a Node worker the few globals of a web worker that the code below uses. Elsewhere they exist.
const NODE_WORKER = `
if (typeof globalThis.self === "undefined") globalThis.self = globalThis;
if (typeof globalThis.postMessage !== "function" && globalThis.process?.getBuiltinModule) {
  const { parentPort } = process.getBuiltinModule("node:worker_threads");
  globalThis.postMessage = (message) => parentPort?.postMessage(message);
  parentPort?.on("message", (data) => globalThis.onmessage?.({ data }));
}
`;

/** The module's own script, ready to be shipped. */
export function adaptGlue(source, { threads }) {
  let text = source
    .replace(/new Worker\(new URL\((?:[^()]|\([^()]*\))*\)(?:, *(?:\{[^}]*\}|\w+))?\)/g, "optioThread(Module)")
    .replace(/new Worker\(pthreadMainJs(?:, *(?:\{[^}]*\}|\w+))?\)/g, "optioThread(Module)")
    .replace(/new URL\(("[^"]+"), *import\.meta\.url\)(?:\.toString\(\)|\.href)?/g, "$1")
    .replaceAll("import.meta.url", '""')
    .replaceAll("self.location.href", '""')
    // Node's workers have no self.
    .replace(/\bself\.name\b/g, "globalThis.name");
  for (const left of ["import.meta", "new Worker(", "require(", "location.href"]) {
    if (text.includes(left))
      throw new Error(`this emscripten writes "${left}" in a way that build/glue.mjs does not know`);
  }
  if (threads && !text.includes("optioThread(Module)")) {
    throw new Error("this emscripten makes its threads in a way that build/glue.mjs does not know");
  }
  if (threads) text = THREAD_HELPER + text;
  return text;
}

/**
 * The script of a thread's worker: the module's own script with what starts it in a thread. It stands alone, because bundlers give
 * files other names and would break an import. Older emscripten writes a script of its own for threads, which loads the module's by
 * address; newer ones start the module's script itself, which knows its role by the worker's name, "em-pthread".
 *
 * @param own emscripten's script for threads, where it writes one
 * @param glue the adapted script of the module
 */
export function adaptWorker(own, glue) {
  const module = glue.replace(/^export default Module;?$/m, "");
  if (module === glue) throw new Error("this emscripten exports its module in a way that build/glue.mjs does not know");
  if (own === undefined) return `${NODE_WORKER}\nglobalThis.name ??= "em-pthread";\n${module}`;
  const start = own.replace(
    /\(e\.data\.urlOrBlob\?import\(e\.data\.urlOrBlob\):import\("[^"]+"\)\)\.then\(function\(exports\)\{return exports\.default\(Module\)\}\)/,
    "createScorer(Module)",
  );
  if (start === own || start.includes("import(")) {
    throw new Error("this emscripten starts its threads in a way that build/glue.mjs does not know");
  }
  // Both scripts have a variable Module of their own.
  return `const createScorer = (() => {\n${module}\nreturn Module;\n})();\n${NODE_WORKER}\n${start}\n`;
}
