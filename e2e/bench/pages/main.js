// Offers one subject to the program that drives this page: `?subject=optio` or `?subject=wllama`. With `task=store`, it only
// puts the model where a later visit finds it.
const parameters = new URLSearchParams(location.search);
const { start, store } =
  parameters.get("subject") === "wllama" ? await import("./wllama.js") : await import("./optio.js");

const model = parameters.get("model") ?? "";
const settings = {
  model,
  threads: Number(parameters.get("threads") ?? 1),
  contextTokens: Number(parameters.get("contextTokens")),
  variant: parameters.get("variant") ?? "",
};
Object.assign(globalThis, { subject: parameters.get("task") === "store" ? store(model) : start(settings) });
