import type { Descriptor } from "@sw/hurray/descriptor";
import { connectSocket, createFile } from "@sw/hurray/node";
import type { StoredItem, StreamedTensor } from "@sw/hurray/stream";
import { type Command, Option } from "commander";
import { type Address, parseAddress } from "../address.js";
import { chosenName, openCollection } from "../collection.js";
import { LAYOUT_TAGS } from "../convert/layouts.js";
import { CliError, EXIT } from "../failure.js";
import { toJson } from "../json.js";
import type { Shell } from "../shell.js";
import { isUrl } from "../source.js";
import { counted, dataBytes, descriptorFacts, sizeText } from "../words.js";

const EXAMPLES = `
A server gives tensors by their names, composites with all their members. Of a file on the web those that are named
come, by ranges, or all. What was there is replaced once the new file is complete, and stays if it is not.

Examples:
  sw-hurray fetch hurray://127.0.0.1:7411/encoder.weight -o weight.hrry
  sw-hurray fetch unix:/run/model.sock weight bias -o part.hrry
  sw-hurray fetch localhost:7411 embedding --layout csr -o sparse.hrry
  sw-hurray fetch https://example.org/model.safetensors weight -o weight.hrry`;

interface FetchOptions {
  readonly output: string;
  readonly layout?: string;
  readonly json?: boolean;
}

/** One item by its name. */
type Fetched = readonly [name: string, item: StoredItem | StreamedTensor];

/** `sw-hurray fetch <address> [names...]`. */
export function addFetch(program: Command, shell: Shell): void {
  const { io } = shell;
  program
    .command("fetch")
    .summary("save tensors of a server, or of a file on the web")
    .description("Saves tensors of a server of the Hurray protocol, or of a file on the web, as a Hurray file.")
    .argument("<address>", "hurray://host:port, host:port, unix:/path, or http(s)://…")
    .argument("[names...]", "the tensors; one may be part of the address")
    .requiredOption("-o, --output <file>", "where they go")
    .addOption(new Option("--layout <layout>", "ask a server for this layout").choices(Object.keys(LAYOUT_TAGS)))
    .option("--json", "print what was saved as JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (address: string, names: string[], options: FetchOptions) => {
      const from = isUrl(address) ? fromWeb : fromServer;
      const items = from(address, names, options, shell);
      const saved = await save(items, options.output, io.signal);
      const data = saved.reduce((sum, [, d]) => sum + dataBytes(d), 0n);
      const facts = saved.map(([name, d]) => ({ name, ...descriptorFacts(d) }));
      const { output, json } = options;
      io.stdout.write(
        json
          ? `${toJson({ path: output, tensors: facts })}\n`
          : `${output}: ${counted(saved.length, "item")}, ${sizeText(data)} of data\n`,
      );
    });
}

async function* fromServer(
  text: string,
  names: readonly string[],
  { layout }: FetchOptions,
  { io: { signal }, timeout }: Shell,
): AsyncGenerator<Fetched, void, void> {
  const { where, key }: Address = parseAddress(text);
  const keys = key === undefined ? names : [key, ...names];
  if (keys.length === 0) {
    throw new CliError(EXIT.usage, `fetch: which tensors: got no name, expected one at least, as in ${text}/weight.`);
  }
  const client = await connectSocket(where, { timeout: timeout * 1000, signal });
  try {
    const wish = layout === undefined ? {} : { layouts: [LAYOUT_TAGS[layout]!], transcode: true };
    for (const name of new Set(keys)) yield [name, await client.get(name, { ...wish, signal })];
  } finally {
    await client.close();
  }
}

/** The tensors of a file on the web: those that are named, composites whole, or all that there is. */
async function* fromWeb(
  url: string,
  names: readonly string[],
  { layout }: FetchOptions,
  shell: Shell,
): AsyncGenerator<Fetched, void, void> {
  if (layout !== undefined) {
    throw new CliError(EXIT.usage, "fetch: only servers change layouts: got --layout, expected none. Use convert.");
  }
  const { signal } = shell.io;
  const collection = await openCollection(url, shell);
  try {
    for (const name of new Set(names.map((wanted) => chosenName(collection, url, wanted)))) {
      const { layout: stored } = await collection.descriptor(name);
      yield [name, await (stored.kind === "composite" ? collection.item(name, signal) : collection.part(name, signal))];
    }
    if (names.length > 0) return;
    for (const name of collection.order ?? collection.names) yield [name, await collection.part(name, signal)];
  } finally {
    await collection.close();
  }
}

/** Writes items into a file as they come, and gives their descriptors. */
async function save(
  items: AsyncIterable<Fetched>,
  path: string,
  signal: AbortSignal,
): Promise<(readonly [name: string, descriptor: Descriptor])[]> {
  const saved: (readonly [string, Descriptor])[] = [];
  const writer = await createFile(path);
  try {
    for await (const [name, item] of items) {
      await writer.add(name, item, { signal });
      saved.push([name, item.descriptor]);
    }
    signal.throwIfAborted();
    await writer.finish();
  } catch (error) {
    await writer.abort(error);
    throw error;
  }
  return saved;
}
