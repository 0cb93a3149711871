import { spawn } from "node:child_process";
import { OptioError } from "@optio/core";
import {
  FrameKind,
  FrameSplitter,
  type Hello,
  helloRequest,
  readError,
  readFrame,
  readHello,
} from "@optio/core/engines";
import type { NativeProgram } from "@optio/server-bridge";

/**
 * Starts the native program, asks it for its name and ends it.
 *
 * @param timeoutMs within which it must have answered.
 * @throws OptioError `engine_start_failed`, `protocol_mismatch`
 */
export function askNativeProgram(program: NativeProgram, timeoutMs: number): Promise<Hello> {
  const child = spawn(program.path, [], { env: program.environment, stdio: ["pipe", "pipe", "pipe"] });
  const splitter = new FrameSplitter();
  let lastWords = "";
  const answer = new Promise<Hello>((resolve, reject) => {
    const fail = (message: string, cause?: unknown) =>
      reject(new OptioError("engine_start_failed", message, cause === undefined ? {} : { cause }));
    const late = setTimeout(() => fail(`The native program did not answer within ${timeoutMs} ms.`), timeoutMs);
    child.once("error", (cause) => fail(`The native program did not start: ${cause.message}.`, cause));
    child.once("close", (code, signal) => {
      clearTimeout(late);
      const words = lastWords.trim();
      fail(`The native program stopped (${signal ?? `exit code ${code}`})${words === "" ? "." : `: ${words}`}`);
    });
    child.stdin.on("error", () => undefined);
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      lastWords = (lastWords + text).slice(-500);
    });
    child.stdout.on("data", (chunk: Buffer) => {
      try {
        for (const bytes of splitter.push(chunk)) {
          const frame = readFrame(bytes);
          if (frame.kind === FrameKind.error) reject(readError(frame.payload));
          if (frame.kind === FrameKind.result) resolve(readHello(frame.payload));
        }
      } catch (error) {
        reject(OptioError.from(error, "protocol_mismatch"));
      }
    });
  });
  child.stdin.write(helloRequest(1));
  return answer.finally(() => child.kill("SIGKILL"));
}
