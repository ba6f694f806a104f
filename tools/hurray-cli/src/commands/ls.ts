import type { Command } from "commander";
import { withCollection } from "../collection.js";
import { printLines } from "../io.js";
import { toJson } from "../json.js";
import { FILE_HELP, type Shell } from "../shell.js";
import { tableLines } from "../table.js";
import { dataBytes, nameText, shapeText, typeText } from "../words.js";

const EXAMPLES = `
Examples:
  sw-hurray ls model.hrry                          one name a line
  sw-hurray ls -l model.hrry                       with type, shape and bytes
  sw-hurray ls model.hrry | while read -r name; do sw-hurray cat model.hrry "$name"; done`;

/** `sw-hurray ls <file>`. */
export function addLs(program: Command, shell: Shell): void {
  const { io } = shell;
  program
    .command("ls")
    .summary("list the names of the tensors of a file")
    .description("Lists the names of the tensors of a file, one a line, in the order of its index.")
    .argument("<file>", FILE_HELP)
    .option("-l, --long", "type, shape and bytes of data in front of each name")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES)
    .action((path: string, { long = false, json = false }: { long?: boolean; json?: boolean }) =>
      withCollection(path, shell, async (collection) => {
        const rows: { name: string; type: string; shape: string; byteLength: bigint }[] = [];
        for (const name of long ? collection.names : []) {
          io.signal.throwIfAborted();
          const d = await collection.descriptor(name);
          rows.push({ name, type: typeText(d), shape: shapeText(d.shape), byteLength: dataBytes(d) });
        }
        if (json) io.stdout.write(`${toJson(long ? rows : collection.names)}\n`);
        else if (!long) printLines(io, collection.names.map(lineOf));
        else {
          const cells = rows.map((row) => [row.type, row.shape, String(row.byteLength), nameText(row.name)]);
          printLines(io, tableLines(cells, [2]));
        }
      }),
    );
}

/** A name as a line of its own: only what would not be one is quoted. */
function lineOf(name: string): string {
  return /\p{C}/u.test(name) ? JSON.stringify(name) : name;
}
