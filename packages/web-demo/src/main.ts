import { App } from "./app.js";
import { keepForOffline } from "./offline/register.js";
import { wasmChoice } from "./wasm-choice.js";

const app = document.querySelector("optio-app");
if (app instanceof App) app.engines = wasmChoice(new URLSearchParams(location.search));
keepForOffline();
