import { ENDED, type ThreadStart } from "./control.js";
import { serve } from "./serve.js";

// What a worker runs, in Node and in pages: it is started by a message, says that it is ready, and serves.

interface Port {
  postMessage(message: unknown): void;
}

interface NodePort extends Port {
  once(event: "message", listener: (start: ThreadStart) => void): void;
}

interface PagePort extends Port {
  onmessage: ((event: { readonly data: ThreadStart }) => void) | null;
}

interface Host {
  readonly process?: { getBuiltinModule?(name: "node:worker_threads"): { readonly parentPort: NodePort | null } };
}

function run(port: Port, start: ThreadStart): void {
  port.postMessage("ready");
  try {
    serve(start);
  } finally {
    port.postMessage(ENDED);
  }
}

const node = (globalThis as Host).process?.getBuiltinModule?.("node:worker_threads").parentPort;
if (node !== null && node !== undefined) node.once("message", (start) => run(node, start));
else {
  const page = globalThis as unknown as PagePort;
  page.onmessage = ({ data }) => run(page, data);
}
