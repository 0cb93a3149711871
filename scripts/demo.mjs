import { serveDemo } from "./serve-demo.mjs";
import { setUp } from "./setup/set-up.mjs";

// Serves the demo page without deciding anything first; the page downloads a model when it is asked to.
await setUp();
await serveDemo(Number(process.env["PORT"] ?? 4173));
