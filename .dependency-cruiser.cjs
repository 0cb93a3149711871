const { builtinModules } = require("node:module");

const core = "^packages/core/src";
const tests = "[.]test[.]ts$";

/** The path of a decision through packages/core/src: a step uses those above it. */
const steps = [
  [
    "errors.ts",
    "read-untrusted.ts",
    "check-options.ts",
    "call.ts",
    "version.ts",
    "turnstile.ts",
    "settled.ts",
    "then-close.ts",
    "pause.ts",
    "network-reason.ts",
    "state.ts",
  ],
  ["questions/"],
  ["prompt/"],
  ["store/"],
  ["scorer/"],
  ["generate/"],
  ["engines/"],
  ["readout/"],
  ["trust/"],
  ["decide.ts"],
  ["decide-many.ts"],
  ["engine-queue.ts"],
  ["fallback/"],
  ["decider.ts"],
  ["default-decider.ts", "given-decider.ts"],
  ["testing/"],
  ["results/"],
  ["element/"],
  ["ai-sdk/", "langchain/"],
  ["index.ts", "wire/"],
];

/** What passes between steps: these types may be named by earlier steps as well. */
const contracts = ["questions/question.ts", "store/", "scorer/scorer.ts", "engines/engine.ts"];

const pattern = (paths) => paths.map((path) => `${core}/${path.replace(".", "[.]")}`);

const order = steps.flatMap((step, index) => {
  const later = steps.slice(index + 1).flat();
  const laterContracts = contracts.filter((path) => later.some((start) => path.startsWith(start)));
  const from = { path: pattern(step), pathNot: tests };
  const comment = `Steps in order: ${steps.flat().join(", ")}`;
  return [
    { name: "core-order", comment, severity: "error", from, to: { path: pattern(later), pathNot: pattern(contracts) } },
    {
      name: "core-order-values",
      comment: "A later step's contract gives types only.",
      severity: "error",
      from,
      to: { path: pattern(laterContracts), dependencyTypesNot: ["type-only"] },
    },
  ].filter(({ to }) => to.path.length > 0);
});

module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      comment: "Modules that need each other are one module, or lack a third.",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    ...order,
    {
      name: "core-platform-by-condition",
      comment: "Shared code reaches a platform only as #platform.",
      severity: "error",
      from: { path: core, pathNot: [`${core}/platform/`, tests] },
      to: { path: `${core}/platform/` },
    },
    {
      name: "core-node-in-platform",
      comment: "Only platform/node*.ts uses modules of Node.",
      severity: "error",
      from: { path: core, pathNot: [`${core}/platform/node`, tests] },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "core-browser-without-node",
      comment: "Nothing that a browser loads leads to a module of Node.",
      severity: "error",
      from: { path: [`${core}/platform/browser`, `${core}/index[.]ts$`, `${core}/(engines|testing)/index[.]ts$`] },
      to: { path: [`^(${builtinModules.join("|")})$`, `${core}/platform/node`], reachable: true },
    },
    {
      name: "packages-by-name",
      comment: "Another package is used by its name, so that its exports hold.",
      severity: "error",
      from: { path: "^packages/([^/]+)/" },
      to: { path: "^packages/", pathNot: "^packages/$1/", dependencyTypes: ["local"] },
    },
    {
      name: "core-stands-alone",
      severity: "error",
      from: { path: "^packages/core/" },
      to: { path: "^packages/(cli|server-bridge|web-demo)/" },
    },
    {
      name: "server-bridge-uses-core-only",
      severity: "error",
      from: { path: "^packages/server-bridge/" },
      to: { path: "^packages/(cli|web-demo)/" },
    },
    {
      name: "cli-and-web-demo-apart",
      severity: "error",
      from: { path: "^packages/(cli|web-demo)/" },
      to: { path: "^packages/(cli|web-demo)/", pathNot: "^packages/$1/" },
    },
    { name: "resolves", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "(node_modules|/dist/)" },
    exclude: { path: "/wasm/scorer[.]" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "node", "default"] },
  },
};
