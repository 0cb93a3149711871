export { createModelStore } from "./node-store.js";
