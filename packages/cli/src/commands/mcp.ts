import type { Command } from "commander";
import { addEngineFlags, type EngineFlags } from "../flags/engine-flags.js";
import { listModels } from "../models/model-list.js";
import { printable } from "../output/printable.js";
import type { CommandHost } from "../program.js";
import { openDecider } from "../session.js";

export function addMcpCommand(program: Command, host: CommandHost): void {
  const command = program
    .command("mcp")
    .summary("serve decisions to MCP clients over stdin and stdout")
    .description(
      "A server of the Model Context Protocol with the tools decide, decide_many and list_models. The client starts it and ends it by closing stdin.",
    );
  addEngineFlags(command, { json: false })
    .addHelpText("after", notes)
    .action((flags: EngineFlags) => serveMcp(flags, host));
}

const notes = `
The model is loaded at the first decision; one that is not on this machine yet
needs --yes, or \`optio models pull\` before. Only protocol goes to stdout.

Example, in the settings of a client:
  { "mcpServers": { "optio": { "command": "optio", "args": ["mcp"] } } }`;

async function serveMcp(flags: EngineFlags, host: CommandHost): Promise<void> {
  const { context, signal } = host;
  const { stdin, stdout, stderr } = context;
  const say = (text: string) => (flags.quiet ? undefined : void stderr.write(`${text}\n`));
  const { decider } = await openDecider(flags, host);
  try {
    // Only here: no other command needs the protocol.
    const { createMcpServer } = await import("../mcp/mcp-server.js");
    const { StdioTransport } = await import("../mcp/stdio-transport.js");
    const server = createMcpServer({
      decider,
      engine: { kind: flags.engine, model: flags.model ?? null },
      listModels: () => listModels(context.store()),
      reuse: flags.reuse,
      ...(flags.timeout === undefined ? {} : { timeoutMs: flags.timeout }),
    });
    const transport = new StdioTransport(stdin, stdout);
    server.server.onerror = (error) => say(`warning: ${printable(error.message)}`);
    const stop = () => void transport.close();
    signal.addEventListener("abort", stop, { once: true });
    if (stdin.isTerminal) say("This speaks MCP on stdin and stdout: MCP clients start it. Ctrl-C or Ctrl-D ends it.");
    await server.connect(transport);
    if (signal.aborted) stop();
    await transport.ended;
    signal.removeEventListener("abort", stop);
  } finally {
    await decider.close();
    // A pipe that is still open would keep the process alive.
    stdin.close();
  }
}
