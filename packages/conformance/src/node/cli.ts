#!/usr/bin/env node
import { command } from "./command.js";

process.exitCode = await command(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  folder: process.cwd(),
});
