import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const CHILD = fileURLToPath(new URL("../child.mjs", import.meta.url));

/** A process that measures: it does one thing at a time, and only what it is asked to. */
export class Contestant {
  #child;
  #waiting;
  #ended = "";

  constructor(name) {
    this.name = name;
    this.#child = fork(CHILD, [name], { execArgv: ["--expose-gc"], stdio: ["ignore", "ignore", "ignore", "ipc"] });
    this.#child.on("message", (answer) => this.#answer(answer));
    this.#child.on("exit", (code, signal) => {
      this.#ended = `the process ended with ${signal ?? code}`;
      this.#answer({ error: this.#ended });
    });
  }

  /** Sends a command and waits for its answer; `error` of it says what went wrong. */
  ask(command, data = {}) {
    if (this.#ended !== "") return Promise.resolve({ error: this.#ended });
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#child.send({ command, ...data });
    });
  }

  stop() {
    if (this.#ended === "") this.#child.disconnect();
  }

  #answer(answer) {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(answer);
  }
}
