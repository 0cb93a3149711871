import { existsSync, readFileSync } from "node:fs";
import { findEmscripten, findRelaxedSimd } from "../../../wasm/build/toolchain.mjs";
import { findBrowser } from "../find-browser.mjs";
import { findProgram } from "../fingerprint.mjs";
import { cacheStamps } from "../places.mjs";
import { NeedsPerson } from "../run-steps.mjs";
import { readStamp, removeStamp, writeStamp } from "../stamp.mjs";

/** What must be there before anything is built, and the packages that bring it. */
const build = [
  {
    name: "emcc",
    find: () => findProgram("emcc"),
    debian: ["emscripten", "node-acorn"],
    fedora: ["emscripten"],
    macos: ["emscripten"],
  },
  { name: "cmake", find: () => findProgram("cmake"), debian: ["cmake"], fedora: ["cmake"], macos: ["cmake"] },
  {
    name: "ninja",
    find: () => findProgram("ninja"),
    debian: ["ninja-build"],
    fedora: ["ninja-build"],
    macos: ["ninja"],
  },
  {
    name: "clang-19, for relaxed SIMD",
    find: () => findProgram("emcc") && findRelaxedSimd(findEmscripten())?.name,
    debian: ["clang-19", "lld-19", "llvm-19"],
    fedora: ["emscripten"],
    macos: ["emscripten"],
  },
  { name: "git", find: () => findProgram("git"), debian: ["git", "ca-certificates"], fedora: ["git"], macos: ["git"] },
];

/** For the native program, which is built on Linux only. */
const compiler = {
  name: "g++",
  find: () => ["g++", "clang++", "c++"].find(findProgram),
  debian: ["g++"],
  fedora: ["gcc-c++"],
  macos: [],
};

const browser = {
  name: "chromium",
  find: findBrowser,
  debian: ["chromium", "fonts-dejavu-core"],
  fedora: ["chromium"],
  macos: ["google-chrome"],
};

/** Stands while apt works: what an interrupted apt left may look complete (a program is there before it is configured). */
const unfinished = "system-packages-unfinished";

/** @param {{ withBrowser: boolean }} wants */
export function systemPackages({ withBrowser }) {
  const wanted = [...build, ...(process.platform === "linux" ? [compiler] : []), ...(withBrowser ? [browser] : [])];
  const missing = () => wanted.filter(({ find }) => find() === undefined);
  const mayInstall = () => findProgram("apt-get") !== undefined && process.getuid?.() === 0;
  const wasInterrupted = () => mayInstall() && readStamp(cacheStamps, unfinished) !== undefined;
  return {
    id: "system-packages",
    title: "System packages",
    place: "machine",
    inputs: () => "",
    intact: () => missing().length === 0 && !wasInterrupted(),
    work: async ({ run, say }) => {
      if (!mayInstall()) throw new NeedsPerson(instructions(missing()));
      const apt = (...args) => {
        say(`apt-get ${args.join(" ")}`);
        // Another package manager, such as an automatic update, may hold the lock for a while.
        const options = ["-o", "DPkg::Lock::Timeout=300"];
        return run("apt-get", [...options, ...args], { env: { DEBIAN_FRONTEND: "noninteractive" } });
      };
      const install = wasInterrupted() ? wanted : missing();
      if (wasInterrupted()) {
        say("repairing what an interrupted apt left");
        await run("dpkg", ["--configure", "-a"], { env: { DEBIAN_FRONTEND: "noninteractive" } });
        await apt("install", "-y", "--no-install-recommends", "--fix-broken");
      }
      await apt("update");
      writeStamp(cacheStamps, unfinished, {});
      try {
        await apt(
          "install",
          "-y",
          "--no-upgrade",
          "--no-install-recommends",
          ...install.flatMap(({ debian }) => debian),
        );
      } finally {
        // A failure in good order, such as a download that failed, leaves nothing to repair.
        if ((await run("dpkg", ["--audit"])) === "") removeStamp(cacheStamps, unfinished);
      }
    },
  };
}

function instructions(lacking) {
  const names = lacking.map(({ name }) => name).join(", ");
  const all = (system) => [...new Set(lacking.flatMap((each) => each[system]))].join(" ");
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
