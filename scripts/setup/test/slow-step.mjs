import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { endChildrenOnInterrupt } from "../children.mjs";
import { runSteps } from "../run-steps.mjs";

// A set-up of one step that starts a shell which starts a sleep, and says when both run: slow-step.mjs FOLDER
const folder = process.argv[2];
endChildrenOnInterrupt();
await runSteps(
  [
    {
      id: "slow",
      title: "A slow step",
      place: "cache",
      inputs: () => "1",
      intact: () => true,
      work: async ({ run }) => {
        await run("sh", ["-c", 'sleep 600 & echo "$!"; wait'], {
          onLine: (pid) => writeFileSync(join(folder, "sleeping"), pid),
        });
      },
    },
  ],
  {
    cache: folder,
    stamps: { cache: join(folder, "stamps"), clone: join(folder, "clone-stamps") },
    logs: join(folder, "logs"),
  },
);
