import { listen } from "@sw/hurray/node";
import type { TensorStore } from "@sw/hurray/transport";
import type { Command } from "commander";
import { addressText, parseAddress } from "../address.js";
import { type Collection, withCollection } from "../collection.js";
import { errorText } from "../failure.js";
import { toJson } from "../json.js";
import { FILE_HELP, integer, type Shell } from "../shell.js";
import { counted } from "../words.js";

const EXAMPLES = `
Serves the tensors and composites of a file by the messages of the Hurray protocol, each by its name, until Ctrl-C.
Nothing can be put. Anyone who reaches the address can read: it is this machine only unless you say otherwise.

Examples:
  sw-hurray serve model.hrry
  sw-hurray serve model.safetensors --listen 0.0.0.0:7411
  sw-hurray serve model.hrry --listen unix:/run/model.sock`;

interface ServeCliOptions {
  readonly listen: string;
  readonly connections: number;
  readonly json?: boolean;
}

/** `sw-hurray serve <file>`. */
export function addServe(program: Command, shell: Shell): void {
  const { io } = shell;
  program
    .command("serve")
    .summary("serve the tensors of a file over TCP or a Unix socket")
    .description("Serves the tensors of a file over TCP or a Unix socket, until it is ended.")
    .argument("<file>", FILE_HELP)
    .option("--listen <address>", "where: host:port (port 0: any free one) or unix:/path", "127.0.0.1:0")
    .option("--connections <n>", "clients at the same time", integer(1), 64)
    .option("--json", "print the address as JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (path: string, { listen: address, connections, json }: ServeCliOptions) => {
      const { where } = parseAddress(address);
      await withCollection(path, shell, async (collection) => {
        const server = await listen(storeOf(collection), where, {
          maximumConnections: connections,
          onError: (error) => void io.stderr.write(`sw-hurray: serve: ${errorText(error, false)}\n`),
        });
        try {
          const url = addressText(server.address);
          const tensors = collection.names.length;
          io.stdout.write(
            json
              ? `${toJson({ address: url, tensors })}\n`
              : `serving ${path} (${counted(tensors, "name")}) at ${url}\n`,
          );
          await aborted(io.signal);
        } finally {
          await server.close();
        }
      });
    });
}

/** The tensors of a file, in pieces, and its composites, whole. */
function storeOf(collection: Collection): TensorStore {
  const names = new Set(collection.names);
  return {
    find: async (key, { signal }) => {
      if (!names.has(key)) return undefined;
      const { layout } = await collection.descriptor(key);
      return layout.kind === "composite" ? collection.item(key, signal) : collection.part(key, signal);
    },
  };
}

/** Waits until the program is to end: that is how serving ends, and no error. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
