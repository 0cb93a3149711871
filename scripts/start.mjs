import { join } from "node:path";
import { parseArgs } from "node:util";
import { serveDemo } from "./serve-demo.mjs";
import { runInTerminal } from "./setup/children.mjs";
import { cache, root } from "./setup/places.mjs";
import { setUp } from "./setup/set-up.mjs";
import { modelById, modelWithRole } from "./setup/steps/model.mjs";

const help = `npm start [-- [options] ["a text of your own"]]

Sets up everything, prints one decision about a support ticket, then serves the demo page.

  --once        end after the decision
  --model ID    another model of the catalogue (see models/catalogue)
  --port N      port of the demo page, or the next free one (default 4173)
  --help        print this
`;

/** The support ticket that is decided when no text is given. */
const ticket =
  "Subject: Charged twice!\n\nI was billed twice for March and nobody has answered my two emails. " +
  "I need the second payment back before Friday, or I will cancel.";

const questions = [
  "--choice",
  "team=Which team should handle this ticket? | billing: Invoices, payments and refunds | technical: Errors and outages | sales: Offers and new contracts",
  "--noul",
  "angry=Is the customer angry?",
  "--score",
  "urgency=How urgent is this ticket? | Can wait | This week | Today | Right now",
];

let options;
try {
  options = parseArgs({
    allowPositionals: true,
    options: {
      once: { type: "boolean", default: false },
      model: { type: "string" },
      port: { type: "string", default: "4173" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
} catch (error) {
  process.stderr.write(`${error.message}\n\n${help}`);
  process.exit(2);
}
const { values, positionals } = options;
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}

const entry = values.model === undefined ? modelWithRole("default") : modelById(values.model);
if (entry === undefined) {
  process.stderr.write(`There is no model ${values.model} in models/catalogue.\n`);
  process.exit(2);
}
await setUp({ models: [entry] });
const text = positionals.join(" ") || ticket;
const status = await runInTerminal(
  process.execPath,
  [
    join(root, "packages/cli/bin/optio.js"),
    "decide",
    ...questions,
    ...["--model", entry.id, "--engine", "wasm", "--policy", "accept=0.8,review=0.5"],
    ...["--", text],
  ],
  { env: { OPTIO_CACHE: cache } },
);
if (status !== 0 || values.once) process.exit(status);

process.stdout.write("\n");
await serveDemo(Number(values.port));
