import { CommanderError } from "commander";
import { EXIT, errorText, exitCodeOf } from "./failure.js";
import type { Io } from "./io.js";
import { createProgram } from "./program.js";
import { DEFAULT_TIMEOUT, type Shell } from "./shell.js";

/**
 * Runs the program.
 *
 * @param args - what follows its name.
 * @returns the exit code; everything there is to say has been written.
 */
export async function main(args: readonly string[], io: Io): Promise<number> {
  const shell: Shell = { io, exitCode: EXIT.fine, debug: false, timeout: DEFAULT_TIMEOUT, refused: EXIT.unreadable };
  const program = createProgram(shell);
  try {
    if (args.length === 0) {
      program.outputHelp({ error: true });
      return EXIT.usage;
    }
    await program.parseAsync(args, { from: "user" });
    return shell.exitCode;
  } catch (error) {
    // Its message is written already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
    const debug = program.opts<{ debug?: boolean }>().debug === true;
    io.stderr.write(`sw-hurray: ${errorText(error, debug)}\n`);
    return exitCodeOf(error, shell.refused);
  }
}
