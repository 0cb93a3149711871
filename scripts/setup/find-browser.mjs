import { existsSync } from "node:fs";
import { findProgram } from "./fingerprint.mjs";

const programs = ["chromium", "chromium-browser", "google-chrome"];

/** Where macOS keeps them: programs of applications are not on the PATH. */
const applications = ["Chromium.app/Contents/MacOS/Chromium", "Google Chrome.app/Contents/MacOS/Google Chrome"];

/** The Chromium for the tests in a browser: `OPTIO_CHROMIUM`, or one of this machine; undefined when there is none. */
export function findBrowser() {
  const chosen = process.env["OPTIO_CHROMIUM"];
  if (chosen) return chosen;
  const paths = [...programs.map(findProgram), ...applications.map((path) => `/Applications/${path}`)];
  return paths.find((path) => path !== undefined && existsSync(path));
}
