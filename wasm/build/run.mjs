import { spawn } from "node:child_process";

const KEPT_LINES = 40;

/**
 * Runs a program and hands its output on line by line. Fails with the last lines when it fails or takes too long.
 *
 * @param options `onLine` gets every line of both outputs; `timeoutMs` ends the program; the rest as for spawn.
 */
export function run(command, args, { onLine = () => {}, timeoutMs, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], timeout: timeoutMs, ...options });
    const lines = [];
    const collect = (stream) => {
      let rest = "";
      stream.setEncoding("utf8").on("data", (text) => {
        const parts = (rest + text).split(/\r?\n|\r/);
        rest = parts.pop();
        for (const line of parts) take(line);
      });
      stream.on("end", () => rest && take(rest));
    };
    const take = (line) => {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
      onLine(line);
    };
    collect(child.stdout);
    collect(child.stderr);
    child.on("error", (error) => reject(new Error(`${command} could not be started: ${error.message}`)));
    child.on("close", (code, signal) => {
      if (code === 0) resolve(lines);
      else
        reject(
          new Error(
            `${command} ${signal ? `was ended by ${signal}` : `failed with exit code ${code}`}:\n${lines.join("\n")}`,
          ),
        );
    });
  });
}
