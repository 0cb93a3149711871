import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const folder = fileURLToPath(new URL("..", import.meta.url));
const cdk = join(folder, "node_modules/aws-cdk/bin/cdk");

describe("cdk synth", () => {
  it("makes the templates without an account, a network or Docker", { timeout: 120_000 }, async () => {
    const output = mkdtempSync(join(tmpdir(), "optio-cdk-"));
    try {
      const context = {
        image: "123456789012.dkr.ecr.eu-central-1.amazonaws.com/optio@sha256:0123",
        model: "s3://models.example/optio/small/",
        repository: "https://github.com/example/optio",
        bulk: "true",
        scaleToZero: "true",
      };
      const flags = Object.entries(context).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
      await promisify(execFile)(
        process.execPath,
        [cdk, "synth", "--quiet", "--no-notices", "--output", output, ...flags],
        {
          cwd: folder,
          env: { PATH: process.env["PATH"], HOME: output, CDK_DISABLE_VERSION_CHECK: "true" },
        },
      );
      const templates = readdirSync(output).filter((name) => name.endsWith(".template.json"));
      expect(templates.sort()).toEqual([
        "optio-decisions-bulk.template.json",
        "optio-decisions-endpoint.template.json",
        "optio-decisions-image.template.json",
      ]);
    } finally {
      rmSync(output, { recursive: true });
    }
  });
});
