import { WORKER_SOURCE } from "../generated/worker.js";

/** What a worker tells. */
interface Listener {
  message(message: unknown): void;
  /** It could not be started, or ended; in words. */
  fail(what: string): void;
}

/** A worker of Node or of a page. */
export interface StartedWorker {
  post(message: unknown): void;
  end(): void;
}

interface NodeWorker {
  on(event: "message" | "error" | "exit", listener: (given: never) => void): void;
  postMessage(message: unknown): void;
  unref(): void;
  terminate(): unknown;
}

interface Host {
  readonly process?: {
    getBuiltinModule?(name: "node:worker_threads"): {
      readonly Worker: new (source: string | URL, options: { readonly eval: boolean }) => NodeWorker;
    };
  };
}

/** Whether this host has workers; what they share is another question. */
export function hasWorkers(): boolean {
  return (globalThis as Host).process?.getBuiltinModule !== undefined || typeof Worker === "function";
}

/** Starts a worker, from its source or from where a page has it. A program ends while it waits. */
export function startWorker(url: URL | undefined, listener: Listener): StartedWorker {
  const threads = (globalThis as Host).process?.getBuiltinModule?.("node:worker_threads");
  return threads === undefined ? startInPage(url, listener) : startInNode(threads.Worker, url, listener);
}

function startInNode(
  Worker: new (source: string | URL, options: { readonly eval: boolean }) => NodeWorker,
  url: URL | undefined,
  { message, fail }: Listener,
): StartedWorker {
  const worker = url === undefined ? new Worker(WORKER_SOURCE, { eval: true }) : new Worker(url, { eval: false });
  let isEnding = false;
  worker.on("message", ((given: unknown) => {
    // Until then a program waits for it.
    worker.unref();
    message(given);
  }) as (given: never) => void);
  worker.on("error", ((error: Error) => fail(`failed: ${error.message}`)) as (given: never) => void);
  worker.on("exit", () => {
    if (!isEnding) fail("ended");
  });
  return {
    post: (given) => worker.postMessage(given),
    end: () => {
      isEnding = true;
      worker.terminate();
    },
  };
}

function startInPage(url: URL | undefined, { message, fail }: Listener): StartedWorker {
  const own = url ?? URL.createObjectURL(new Blob([WORKER_SOURCE], { type: "text/javascript" }));
  const worker = new Worker(own);
  worker.onmessage = ({ data }) => message(data);
  worker.onerror = ({ message: text }) => fail(`failed: ${text}`);
  return {
    post: (given) => worker.postMessage(given),
    end: () => {
      worker.terminate();
      if (typeof own === "string") URL.revokeObjectURL(own);
    },
  };
}
