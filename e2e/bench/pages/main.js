// Offers one subject to the program that drives this page: `?subject=optio` or `?subject=wllama`.
const parameters = new URLSearchParams(location.search);
const { start } = parameters.get("subject") === "wllama" ? await import("./wllama.js") : await import("./optio.js");

Object.assign(globalThis, {
  subject: start({ model: parameters.get("model") ?? "", threads: Number(parameters.get("threads") ?? 1) }),
});
