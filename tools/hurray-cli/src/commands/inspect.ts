import { type Descriptor, describeBytes } from "@sw/hurray/descriptor";
import type { Command } from "commander";
import { type Collection, chosenName, withCollection } from "../collection.js";
import { EXIT, errorText } from "../failure.js";
import { hexTable } from "../hex-table.js";
import { printLines } from "../io.js";
import { toJson } from "../json.js";
import { metadataFacts, metadataLines } from "../metadata.js";
import { FILE_HELP, type Shell } from "../shell.js";
import { tableLines } from "../table.js";
import {
  counted,
  dataBytes,
  descriptorFacts,
  layoutText,
  nameText,
  remarks,
  shapeText,
  sizeText,
  typeText,
} from "../words.js";

const EXAMPLES = `
Without a name, a table of the tensors and the metadata. With the name of a tensor (#0, #1, … in a raw stream),
its descriptor as an annotated hex table, also where the descriptor breaks rules.

Examples:
  sw-hurray inspect model.hrry
  sw-hurray inspect model.hrry encoder.weight
  sw-hurray inspect recorded.stream "#2"
  sw-hurray inspect model.hrry --json`;

/** `sw-hurray inspect <file> [name]`. */
export function addInspect(program: Command, shell: Shell): void {
  program
    .command("inspect")
    .summary("show the tensors of a file, or a descriptor byte by byte")
    .description("Shows what is in a file: its tensors and metadata, or one descriptor byte by byte.")
    .argument("<file>", FILE_HELP)
    .argument("[name]", "the tensor whose descriptor to show")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES)
    .action((path: string, name: string | undefined, { json = false }: { json?: boolean }) =>
      withCollection(path, shell, async (collection) => {
        shell.exitCode =
          name === undefined
            ? await inspectAll(collection, path, json, shell)
            : await inspectOne(collection, chosenName(collection, path, name), json, shell);
      }),
    );
}

async function inspectAll(collection: Collection, path: string, json: boolean, { io }: Shell): Promise<number> {
  const { names, metadata, summary, byteLength, format } = collection;
  const tensors: (readonly [name: string, descriptor: Descriptor | string])[] = [];
  for (const name of names) {
    io.signal.throwIfAborted();
    tensors.push([name, await collection.descriptor(name).catch((error: unknown) => errorText(error, false))]);
  }
  if (json) {
    const facts = tensors.map(([name, d]) => ({
      name,
      ...(typeof d === "string" ? { error: d } : descriptorFacts(d)),
    }));
    io.stdout.write(`${toJson({ path, format, byteLength, tensors: facts, metadata: metadataFacts(metadata) })}\n`);
  } else {
    printLines(io, [`${path}: ${summary}; ${counted(names.length, "tensor")}, ${sizeText(byteLength)}`]);
    const rows = tensors.map(([name, d]) =>
      typeof d === "string"
        ? [nameText(name), "broken", "", "", "", d]
        : [
            nameText(name),
            typeText(d),
            shapeText(d.shape),
            layoutText(d),
            sizeText(dataBytes(d)),
            remarks(d).join("; "),
          ],
    );
    const head = ["name", "type", "shape", "layout", "data", ""];
    if (rows.length > 0) printLines(io, ["", ...tableLines([head, ...rows], [4])]);
    if (metadata.length > 0) printLines(io, ["", ...metadataLines(metadata)]);
  }
  return tensors.some(([, d]) => typeof d === "string") ? EXIT.unreadable : EXIT.fine;
}

async function inspectOne(collection: Collection, name: string, json: boolean, { io }: Shell): Promise<number> {
  const place = await collection.descriptorBytes?.(name);
  if (place === undefined) {
    // Formats that have no descriptor of their own say the same in other words.
    io.stdout.write(`${toJson(descriptorFacts(await collection.descriptor(name)))}\n`);
    return EXIT.fine;
  }
  const { start, bytes } = place;
  const fields = describeBytes(bytes, { operation: `inspect ${JSON.stringify(name)}`, base: start });
  if (json) io.stdout.write(`${toJson({ name, byteOffset: start, byteLength: bytes.byteLength, fields })}\n`);
  else {
    printLines(io, [`${nameText(name)}: descriptor of ${bytes.byteLength} bytes from byte ${start}`, ""]);
    printLines(io, hexTable(fields, bytes, start));
  }
  return EXIT.fine;
}
