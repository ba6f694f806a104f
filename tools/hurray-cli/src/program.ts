import { readFileSync } from "node:fs";
import { Command } from "commander";
import { addCat } from "./commands/cat.js";
import { addConvert } from "./commands/convert.js";
import { addDiff } from "./commands/diff.js";
import { addFetch } from "./commands/fetch.js";
import { addInspect } from "./commands/inspect.js";
import { addLs } from "./commands/ls.js";
import { addServe } from "./commands/serve.js";
import { addVerify } from "./commands/verify.js";
import { DEFAULT_TIMEOUT, integer, type Shell } from "./shell.js";

const EXAMPLES = `
Examples:
  sw-hurray inspect model.hrry                 what is in the file
  sw-hurray inspect model.hrry weight          one descriptor, byte by byte
  sw-hurray cat model.hrry weight "0:2, ..."   some of the values
  sw-hurray convert model.safetensors m.hrry   in another format
  sw-hurray verify model.hrry                  everything that breaks a rule
  sw-hurray diff before.hrry after.hrry        what changed

Exit codes: 0 fine, 1 differences or violations, 2 wrong usage, 3 cannot be read, 4 conversion refused.
sw-hurray help <command> says more, with examples.`;

/** Makes the command line: it throws instead of ending the process, and each of its errors is one line. */
export function createProgram(shell: Shell): Command {
  const { io } = shell;
  const program = new Command("sw-hurray")
    .description("Looks into, checks, prints, converts, compares and serves tensors in Hurray files.")
    .version(version(), "-V, --version", "print the version")
    .option("--debug", "print where an error comes from")
    .option("--timeout <seconds>", "how long a server may be silent", seconds, DEFAULT_TIMEOUT)
    .configureHelp({ showGlobalOptions: true })
    .helpOption("-h, --help", "print this")
    .helpCommand("help [command]", "print what a command does, with examples")
    .addHelpText("after", EXAMPLES)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
      // A suggestion comes on a line of its own; errors here are one line.
      outputError: (text, write) =>
        write(
          `sw-hurray: ${text
            .trim()
            .replace(/^error: /, "")
            .replace(/\s*\n\s*/g, " ")}\n`,
        ),
    });
  program.hook("preAction", () => {
    const { debug = false, timeout } = program.opts<{ debug?: boolean; timeout: number }>();
    Object.assign(shell, { debug, timeout });
  });
  addInspect(program, shell);
  addLs(program, shell);
  addCat(program, shell);
  addVerify(program, shell);
  addConvert(program, shell);
  addDiff(program, shell);
  addServe(program, shell);
  addFetch(program, shell);
  return program;
}

/** Seconds that a timer can count. */
function seconds(text: string): number {
  return Math.min(integer(1)(text), 2_000_000);
}

/** The version of the package; sources and the built program lie equally deep in it. */
function version(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
