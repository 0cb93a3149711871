import { existsSync, readFileSync } from "node:fs";
import { findProgram } from "../fingerprint.mjs";
import { NeedsPerson } from "../run-steps.mjs";

/** What must be there before anything is built: any of the programs will do, and these packages bring one. */
const build = [
  { programs: ["emcc"], debian: ["emscripten", "node-acorn"], fedora: ["emscripten"], macos: ["emscripten"] },
  { programs: ["cmake"], debian: ["cmake"], fedora: ["cmake"], macos: ["cmake"] },
  { programs: ["ninja"], debian: ["ninja-build"], fedora: ["ninja-build"], macos: ["ninja"] },
  { programs: ["g++", "clang++", "c++"], debian: ["g++"], fedora: ["gcc-c++"], macos: [] },
  { programs: ["git"], debian: ["git", "ca-certificates"], fedora: ["git"], macos: ["git"] },
];

const browser = [
  {
    programs: ["chromium", "chromium-browser", "google-chrome"],
    debian: ["chromium", "fonts-dejavu-core"],
    fedora: ["chromium"],
    macos: ["--cask chromium"],
  },
];

/** @param {{ withBrowser: boolean }} wants */
export function systemPackages({ withBrowser }) {
  const wanted = withBrowser ? [...build, ...browser] : build;
  const missing = () => wanted.filter(({ programs }) => !programs.some((name) => findProgram(name)));
  return {
    id: "system-packages",
    title: "System packages",
    place: "machine",
    inputs: () => "",
    intact: () => missing().length === 0,
    work: async ({ run, say }) => {
      const lacking = missing();
      const names = lacking.map(({ programs }) => programs[0]).join(", ");
      const packages = lacking.flatMap(({ debian }) => debian);
      if (!findProgram("apt-get") || process.getuid?.() !== 0) throw new NeedsPerson(instructions(names, lacking));
      const env = { DEBIAN_FRONTEND: "noninteractive" };
      say("apt-get update");
      await run("apt-get", ["update"], { env });
      say(`apt-get install ${packages.join(" ")}`);
      await run("apt-get", ["install", "-y", "--no-install-recommends", ...packages], { env });
    },
  };
}

function instructions(names, lacking) {
  const all = (system) => lacking.flatMap((each) => each[system]).join(" ");
  const reason = findProgram("apt-get") ? "only root may install packages" : `this is ${systemName()}`;
  return `Missing: ${names}. They cannot be installed from here: ${reason}. Run one of these, then the same command again:
  Debian, Ubuntu:  sudo apt-get install ${all("debian")}
  Fedora:          sudo dnf install ${all("fedora")}
  macOS:           brew install ${all("macos")}`;
}

function systemName() {
  if (process.platform !== "linux") return process.platform;
  const file = "/etc/os-release";
  return (
    (existsSync(file) && /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync(file, "utf8"))?.[1]) ||
    "a system without apt-get"
  );
}
