const core = "^packages/core/src";
const tests = "[.]test[.]ts$";

/** The path of a decision through packages/core/src: a step uses those above it. */
const steps = [
  "(errors|call|version|turnstile|state)[.]ts$",
  "questions/",
  "store/",
  "prompt/",
  "scorer/",
  "engines/",
  "readout/",
  "trust/",
  "decide[.]ts$",
  "decider[.]ts$",
  "default-decider[.]ts$",
  "testing/",
  "index[.]ts$",
];

/** Descriptions of what passes between steps: their types may be named anywhere. */
const contracts = `${core}/(engines/engine|scorer/scorer|questions/question|store/[^/]+|prompt/profile)[.]ts$`;

const order = steps.slice(0, -1).map((step, index) => {
  const later = `${core}/(${steps.slice(index + 1).join("|")})`;
  const rule = { severity: "error", from: { path: `${core}/${step}`, pathNot: tests } };
  return [
    { ...rule, name: `core-order-${index}`, to: { path: later, pathNot: contracts } },
    { ...rule, name: `core-order-${index}-types`, to: { path: contracts, dependencyTypesNot: ["type-only"] } },
  ].map((one) => (one.name.endsWith("-types") ? { ...one, to: { ...one.to, path: `(?=${later})${contracts}` } } : one));
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
    ...order.flat(),
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
      from: { path: `${core}/(platform/browser[^/]*|([^/]+/)?index)[.]ts$` },
      to: { path: `(^(node:|fs|os|path|url|worker_threads|child_process)|${core}/platform/node)`, reachable: true },
    },
    {
      name: "packages-by-name",
      comment: "Another package is used by its name, so that its exports hold.",
      severity: "error",
      from: { path: "^packages/([^/]+)/" },
      to: { path: "^packages/", pathNot: ["^packages/$1/", "^packages/[^/]+/dist"] },
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
