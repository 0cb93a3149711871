import { setUp } from "./setup/set-up.mjs";

// Builds everything that is published, and what it is made with.
await setUp();
