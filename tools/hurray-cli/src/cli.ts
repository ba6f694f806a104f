#!/usr/bin/env node
import { EXIT } from "./failure.js";
import { main } from "./main.js";

// A reader that has seen enough (`| head`) is no error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(EXIT.fine);
  });
}

// The first Ctrl-C calls off what is going on, which removes what is half written; the second one ends at once.
const controller = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => controller.abort(new DOMException(`ended by ${signal}`, "AbortError")));
}

process.exitCode = await main(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  signal: controller.signal,
});
