import { type Command, Option } from "commander";
import { chosenName, withCollection } from "../collection.js";
import { toJson } from "../json.js";
import { printableOf } from "../printable.js";
import { FILE_HELP, integer, integers, type Shell } from "../shell.js";
import { typeText } from "../words.js";

const EXAMPLES = `
The values of anything: of sparse and block-paged tensors, dequantised, of partitions and overlays as their members
make them up. Large tensors are cut in the middle; --all prints every element. Complex numbers are pairs.

A key takes what NumPy's basic indexing takes between the brackets: integers, start:stop:step, ... and None.
Put -- in front of a key that begins with a minus.

Examples:
  sw-hurray cat model.hrry bias
  sw-hurray cat model.hrry weight "0:2, ..., ::-1"
  sw-hurray cat model.hrry weight -- -1
  sw-hurray cat model.hrry weight --json | jq .values
  sw-hurray cat cache.hrry keys --tokens 7,12      tokens of each sequence of a block-paged tensor`;

interface CatOptions {
  readonly json?: boolean;
  readonly all?: boolean;
  readonly precision: number;
  readonly tokens?: number[];
}

/** `sw-hurray cat <file> [name] [key]`. */
export function addCat(program: Command, shell: Shell): void {
  const { io } = shell;
  program
    .command("cat")
    .alias("print")
    .summary("print the values of a tensor, or some of them")
    .description("Prints the values of a tensor, or those that a key takes of it.")
    .argument("<file>", FILE_HELP)
    .argument("[name]", "the tensor; may be left out where there is only one")
    .argument("[key]", 'the elements to print, as "0:2, ..., ::-1"')
    .option("--all", "print every element")
    .option("--precision <digits>", "digits after the point", integer(0), 8)
    .addOption(new Option("--tokens <list>", "tokens of each sequence, for block-paged tensors").argParser(integers))
    .option("--json", "print JSON: name, type, shape and nested values")
    .addHelpText("after", EXAMPLES)
    .action((path: string, name: string | undefined, key: string | undefined, options: CatOptions) =>
      withCollection(path, shell, async (collection) => {
        const chosen = chosenName(collection, path, name);
        const item = await collection.item(chosen, io.signal);
        const values = printableOf(item, key, { ...(options.tokens && { tokens: options.tokens }) });
        if (options.json) {
          const { shape } = values;
          io.stdout.write(
            `${toJson({ name: chosen, type: typeText(item.descriptor), shape, values: values.toArray() }, 0)}\n`,
          );
        } else {
          const { precision, all } = options;
          const threshold = all ? { threshold: Number.MAX_SAFE_INTEGER } : {};
          io.stdout.write(`${values.toText({ precision, ...threshold })}\n`);
        }
      }),
    );
}
