/** Decisions through the AI SDK of Vercel. */
export { createOptio, type OptioProvider, type OptioProviderOptions } from "./create-optio.js";
