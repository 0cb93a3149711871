export { type AppSettings, createApp } from "./app.js";
export {
  configNames,
  readConfig,
  type ServeConfig,
  type ServeConfigInput,
  variableOf,
  withoutSecrets,
} from "./config.js";
export { type RunningServer, type ServeOptions, startServer } from "./serve.js";
