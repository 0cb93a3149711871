import { z } from "zod";

const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const flag = z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]);

/** What a deployment is told, as context: `cdk synth -c model=s3://… -c image=…`. */
const settingsSchema = z.strictObject({
  /** Name of the endpoint, and the beginning of all other names. */
  name: z
    .string()
    .regex(/^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,39}$/u, "must be at most 40 letters, digits and dashes")
    .default("optio-decisions"),
  /** The image in ECR, best by its digest: a tag may mean another one tomorrow. Without it only the pipeline that builds one is made. */
  image: z
    .string()
    .regex(/^\d{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com(\.cn)?\/[^\s]+$/u, "must be an image in ECR")
    .optional(),
  /** The model: a folder (`s3://bucket/folder/`, its files as they are) or a `model.tar.gz`. */
  model: z
    .string()
    .regex(/^s3:\/\/[a-z0-9.-]{3,63}\/.+(\/|\.tar\.gz)$/u, "must be s3://bucket/folder/ or s3://bucket/….tar.gz")
    .optional(),
  instanceType: z
    .string()
    .regex(/^ml\.[a-z0-9-]+\.[a-z0-9]+$/u, "must be an instance type such as ml.c7i.2xlarge")
    .default("ml.c7i.2xlarge"),
  /** Graphics cards that a copy of the model takes: 0 with the CPU image. */
  accelerators: whole(0, 16).default(0),
  /** Processors and memory that a copy takes, where the endpoint scales to zero. */
  cpusPerCopy: whole(1, 192).default(6),
  memoryMbPerCopy: whole(512, 1_000_000).default(8_192),
  maxInstances: whole(1, 100).default(2),
  /** Requests that one instance works on at a time before another is started. */
  requestsPerInstance: whole(1, 1_000).default(4),
  /** To no instances at all when nobody asks; the first to ask then waits for minutes, or is answered elsewhere. */
  scaleToZero: flag.default(false),
  /** An endpoint for bulk work as well, which takes requests from a queue and scales to zero. */
  bulk: flag.default(false),
  /** Gets the alarms. */
  alarmEmail: z.email().optional(),
  /** Milliseconds of the slowest hundredth of decisions from which on the alarm rings. */
  latencyAlarmMs: whole(1, 60_000).default(10_000),
  /** Where CodeBuild finds the sources: `https://github.com/owner/name`. */
  repository: z
    .string()
    .regex(/^https:\/\/github\.com\/[\w.-]+\/[\w.-]+$/u, "must be https://github.com/owner/name")
    .optional(),
  /** Branch, tag or commit of it. */
  revision: z.string().default("main"),
});

export type Settings = z.infer<typeof settingsSchema>;

/** Endpoints need both. */
export type EndpointSettings = Settings & { readonly image: string; readonly model: string };

/** @throws Error that names the setting and what it may be */
export function readSettings(context: (name: string) => unknown): Settings {
  const given = Object.keys(settingsSchema.shape).flatMap((name) => {
    const value = context(name);
    return value === undefined || value === "" ? [] : [[name, value]];
  });
  const parsed = settingsSchema.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `  -c ${path.join(".")}=… ${message}`);
  throw new Error(`The deployment's settings do not fit:\n${issues.join("\n")}`);
}
