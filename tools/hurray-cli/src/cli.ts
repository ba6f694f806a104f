#!/usr/bin/env node
import { EXIT, errorText } from "./failure.js";
import { main } from "./main.js";

// A reader that has seen enough (`| head`) is no error; results that are lost, as on a full disk, are one.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.fine);
  process.stderr.write(`sw-hurray: stdout: ${errorText(error, false)}.\n`);
  process.exit(EXIT.unreadable);
});
// There is nobody to tell, and a file in the middle of being written is to be completed or removed.
process.stderr.on("error", () => {});

// The first Ctrl-C calls off what is going on, which removes what is half written; one that comes later ends at once.
// Programs that run this one pass signals on beside the terminal, so that one Ctrl-C may come twice.
const SAME_SIGNAL = 1000;
const controller = new AbortController();
let since: number | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    since ??= performance.now();
    if (performance.now() - since > SAME_SIGNAL) process.exit(EXIT.interrupted);
    controller.abort(new DOMException(`ended by ${signal}`, "AbortError"));
  });
}

process.exitCode = await main(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  signal: controller.signal,
});
