import { extname } from "node:path";
import { type Descriptor, ELEMENT_TYPES, type ElementTypeName } from "@sw/hurray/descriptor";
import { toStored } from "@sw/hurray/interchange";
import type { StoredTensor, StreamedTensor } from "@sw/hurray/stream";
import type { LayoutTarget, QuantizedStorage, QuantizeOptions } from "@sw/hurray/values";
import { type Command, Option } from "commander";
import { type Collection, chosenName, withCollection } from "../collection.js";
import { type Change, changed, changedHead, isChanged } from "../convert/change.js";
import { LAYOUT_CHOICES, parseLayout } from "../convert/layouts.js";
import { refuseForeign } from "../convert/refuse.js";
import { type Outgoing, TARGETS, type Target, writeTensors } from "../convert/write.js";
import { CliError, EXIT, errorText, exitCodeOfMaking } from "../failure.js";
import { toJson } from "../json.js";
import { createProgress } from "../progress.js";
import { FILE_HELP, integer, type Shell } from "../shell.js";
import { counted, dataBytes, descriptorFacts, nameText, sizeText } from "../words.js";

const STORAGES = ["int2", "uint2", "int4", "uint4", "int8", "uint8", "int16", "uint16", "int32", "uint32"] as const;

const EXAMPLES = `
The formats of both files are hrry, npy, npz and safetensors: that of the first is told by its bytes, that of the
second by its name or --to. What was there is replaced once the new file is complete, and stays if it is not.
Other formats have no layouts: tensors become row-major there (npy and npz keep column-major).

Quantising is per tensor; with --axis per channel; with --axis and --block per block. Only floats are quantised.

Examples:
  sw-hurray convert model.safetensors model.hrry
  sw-hurray convert weights.npz weights.hrry --dtype float16
  sw-hurray convert model.hrry small.hrry --quantize int8 --axis 0 --symmetric
  sw-hurray convert model.hrry small.hrry --quantize int4 --axis 1 --block 32 --where-possible
  sw-hurray convert model.hrry sparse.hrry --only embedding --layout csr
  sw-hurray convert model.hrry bias.npy --only bias`;

interface ConvertOptions {
  readonly to?: Target;
  readonly only?: string[];
  readonly dtype?: ElementTypeName;
  readonly layout?: LayoutTarget;
  readonly quantize?: QuantizedStorage;
  readonly axis?: number;
  readonly block?: number;
  readonly symmetric?: boolean;
  readonly scales?: "float16" | "bfloat16" | "float32";
  readonly wherePossible?: boolean;
  readonly compress?: boolean;
  readonly json?: boolean;
}

/** `sw-hurray convert <in> <out>`. */
export function addConvert(program: Command, shell: Shell): void {
  const types = ELEMENT_TYPES.map(({ name }) => name);
  program
    .command("convert")
    .summary("write tensors in another format, layout or type")
    .description("Writes the tensors of a file in another format, layout, element type or quantisation.")
    .argument("<in>", FILE_HELP)
    .argument("<out>", "where the new file goes")
    .addOption(new Option("--to <format>", "the format of the new file (default: told by its name)").choices(TARGETS))
    .option("--only <names...>", "the tensors to convert (default: all)")
    .addOption(new Option("--dtype <type>", "convert values, dequantised, to this type").choices(types))
    .addOption(new Option("--layout <layout>", `bring tensors into a layout: ${LAYOUT_CHOICES}`).argParser(parseLayout))
    .addOption(new Option("--quantize <type>", "quantise floats to integers of this type").choices(STORAGES))
    .option("--axis <n>", "quantise along this axis", integer(0))
    .option("--block <n>", "quantise in blocks of so many elements", integer(2))
    .option("--symmetric", "quantise without zero points")
    .addOption(new Option("--scales <type>", "what scales of blocks are").choices(["float16", "bfloat16", "float32"]))
    .option("--where-possible", "leave tensors as they are that cannot be changed so, and say so")
    .option("--compress", "compress what goes into an npz file")
    .option("--json", "print what was written as JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (from: string, to: string, options: ConvertOptions) => {
      shell.refused = EXIT.refused;
      const target = targetOf(to, options);
      const change = changeOf(options);
      await withCollection(from, shell, (collection) => convert(collection, from, to, target, change, options, shell));
    });
}

async function convert(
  collection: Collection,
  from: string,
  to: string,
  target: Target,
  change: Change,
  options: ConvertOptions,
  { io }: Shell,
): Promise<void> {
  const { signal } = io;
  const wanted =
    options.only === undefined ? undefined : new Set(options.only.map((name) => chosenName(collection, from, name)));
  const names = (collection.order ?? collection.names).filter((name) => wanted?.has(name) ?? true);
  const tensors: Outgoing[] = [];
  const written: { name: string; descriptor: Descriptor }[] = [];
  let total = 0;
  for (const name of names) {
    signal.throwIfAborted();
    const descriptor = await collection.descriptor(name);
    refuseForeign(target, name, descriptor, change);
    total += Number(dataBytes(descriptor));
    tensors.push({
      name,
      open: async () => {
        const tensor = await outgoing(collection, name, descriptor, changeFor(target, descriptor, change), options, io);
        written.push({ name, descriptor: tensor.descriptor });
        return tensor;
      },
    });
  }
  const progress = createProgress(io.stderr, "converting", total);
  let done = 0;
  try {
    await writeTensors(to, target, tensors, {
      metadata: collection.metadata,
      compress: options.compress === true,
      signal,
      onBytes: (bytes, name) => {
        done += bytes;
        progress.update(done, name);
      },
    });
  } catch (error) {
    // A composite that lost members on the way, or whose members became something else, was sound.
    const isOther = wanted !== undefined || Object.keys(change).length > 0;
    if (!isOther || (error as { code?: unknown }).code !== "SW_HURRAY_COMPOSITE_INVALID") throw error;
    const advice = "Name a composite with all its members, or its members without it.";
    throw new CliError(EXIT.refused, `convert: ${errorText(error, false)} ${advice}`, { cause: error });
  } finally {
    progress.stop();
  }
  if (options.json) {
    const facts = written.map(({ name, descriptor }) => ({ name, ...descriptorFacts(descriptor) }));
    io.stdout.write(`${toJson({ path: to, format: target, tensors: facts })}\n`);
    return;
  }
  const data = written.reduce((sum, { descriptor }) => sum + dataBytes(descriptor), 0n);
  io.stdout.write(`${to}: ${counted(written.length, "tensor")}, ${sizeText(data)} of data\n`);
  if (collection.metadata.length > 0 && (target === "npy" || target === "npz")) {
    io.stderr.write(`sw-hurray: convert: the metadata is left out: ${target} has none.\n`);
  }
}

/** A tensor as it goes into the new file: in pieces where nothing of it changes. */
async function outgoing(
  collection: Collection,
  name: string,
  descriptor: Descriptor,
  change: Change,
  { wherePossible = false }: ConvertOptions,
  io: Shell["io"],
): Promise<StoredTensor | StreamedTensor> {
  const part = await collection.part(name, io.signal);
  if (descriptor.layout.kind === "composite") return { descriptor: changedHead(descriptor, change), buffers: [] };
  if (!isChanged(descriptor, change)) return part;
  const stored = "buffers" in part ? part : await toStored(part, { signal: io.signal });
  try {
    return changed(stored, change);
  } catch (error) {
    if (!wherePossible || exitCodeOfMaking(error) !== EXIT.refused) throw named(error, name);
    io.stderr.write(`sw-hurray: convert: ${nameText(name)} stays as it is: ${errorText(error, false)}\n`);
    return stored;
  }
}

/** The same error, which says what tensor it is about. */
function named(error: unknown, name: string): unknown {
  const code = exitCodeOfMaking(error);
  if (code === EXIT.interrupted) return error;
  return new CliError(code, `convert: ${nameText(name)}: ${errorText(error, false)}`, { cause: error });
}

/** Other formats have no layouts but row-major, and npy column-major: there tensors are brought into it. */
function changeFor(target: Target, { layout }: Descriptor, change: Change): Change {
  if (target === "hrry") return change;
  const { kind } = change.layout ?? layout;
  const fits = kind === "rowMajor" || (kind === "columnMajor" && target !== "safetensors");
  return fits ? change : { ...change, layout: { kind: "rowMajor" } };
}

function targetOf(path: string, { to, layout }: ConvertOptions): Target {
  const extension = extname(path).slice(1).toLowerCase();
  const target = to ?? TARGETS.find((format) => format === extension);
  if (target === undefined) {
    const message = `convert: the format is not told by the name: got ${JSON.stringify(path)}, expected one that ends in .${TARGETS.join(", .")}, or --to.`;
    throw new CliError(EXIT.usage, message);
  }
  if (target !== "hrry" && layout !== undefined && layout.kind !== "rowMajor" && layout.kind !== "columnMajor") {
    throw new CliError(
      EXIT.refused,
      `convert: ${target} has no such layout: got ${layout.kind}, expected row-major. Write hrry.`,
    );
  }
  return target;
}

function changeOf({ dtype, layout, quantize, axis, block, symmetric, scales }: ConvertOptions): Change {
  const refuse = (message: string): never => {
    throw new CliError(EXIT.usage, `convert: ${message}`);
  };
  if (quantize === undefined) {
    if (axis !== undefined || block !== undefined || symmetric || scales !== undefined) {
      refuse("--axis, --block, --symmetric and --scales say how to quantise: got no --quantize, expected one.");
    }
    return { ...(dtype && { dtype }), ...(layout && { layout }) };
  }
  if (dtype !== undefined) refuse("one type is wanted: got both --dtype and --quantize, expected one of them.");
  if (block !== undefined && axis === undefined) refuse("blocks lie along an axis: got no --axis, expected one.");
  const scheme = block !== undefined ? "perBlock" : axis !== undefined ? "perChannel" : "perTensor";
  const options: QuantizeOptions = {
    scheme,
    storage: quantize,
    ...(axis !== undefined && { axis }),
    ...(block !== undefined && { blockSize: block }),
    ...(symmetric && { symmetric }),
    ...(scales && { scaleType: scales }),
  };
  return { quantize: options, ...(layout && { layout }) };
}
