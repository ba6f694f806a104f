import { type Command, Option } from "commander";
import { type Collection, withCollection } from "../collection.js";
import { compareValues, type Value, type ValueDifference } from "../compare-values.js";
import { EXIT, errorText } from "../failure.js";
import { printLines } from "../io.js";
import { numberText, toJson } from "../json.js";
import { metadataFacts } from "../metadata.js";
import { FILE_HELP, integers, number, type Shell } from "../shell.js";
import { descriptorFacts, nameText } from "../words.js";

const EXAMPLES = `
Tensors are compared by name: type, shape, layout, quantisation, shard, statistics, and their values. Two values are the
same if |a - b| <= atol + rtol * |b|; NaN is the same as NaN, infinity as itself only. Formats may
differ. Tensors that cannot be compared do not keep the others from it; the exit code is 3 then.

Examples:
  sw-hurray diff before.hrry after.hrry && echo same
  sw-hurray diff before.hrry after.hrry --values --rtol 1e-5
  sw-hurray diff before.hrry after.hrry --structure
  sw-hurray diff before.hrry after.hrry --json`;

interface DiffOptions {
  readonly rtol: number;
  readonly atol: number;
  readonly tokens?: number[];
  readonly values?: boolean;
  readonly structure?: boolean;
  readonly json?: boolean;
}

/** One thing in which two files differ. */
interface Difference {
  readonly name?: string;
  readonly what: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly values?: ValueDifference;
  /** Why the tensors could not be compared. */
  readonly error?: string;
}

/** `sw-hurray diff <before> <after>`. */
export function addDiff(program: Command, shell: Shell): void {
  const { io } = shell;
  program
    .command("diff")
    .summary("tell in what two files differ")
    .description("Tells in what two files differ: tensors, how they are stored, values, metadata.")
    .argument("<before>", FILE_HELP)
    .argument("<after>", "another one")
    .option("--rtol <ratio>", "what values may differ by, relative to the second one", number, 0)
    .option("--atol <number>", "what values may differ by at any rate", number, 0)
    .addOption(new Option("--tokens <list>", "tokens of each sequence, for block-paged tensors").argParser(integers))
    .option("--values", "compare shapes and values only, not how they are stored")
    .option("--structure", "compare how tensors are stored, and no value")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES)
    .action((before: string, after: string, options: DiffOptions) =>
      withCollection(before, shell, (a) =>
        withCollection(after, shell, async (b) => {
          let count = 0;
          let unread = false;
          const list: Difference[] = [];
          for await (const difference of differences(a, b, options, io.signal)) {
            count++;
            unread ||= difference.error !== undefined;
            if (options.json) list.push(difference);
            else printLines(io, [differenceText(difference)]);
          }
          if (options.json) io.stdout.write(`${toJson({ before, after, differences: list })}\n`);
          if (unread) shell.exitCode = EXIT.unreadable;
          else if (count > 0) shell.exitCode = EXIT.differs;
        }),
      ),
    );
}

async function* differences(
  a: Collection,
  b: Collection,
  options: DiffOptions,
  signal: AbortSignal,
): AsyncGenerator<Difference> {
  const inB = new Set(b.names);
  const inA = new Set(a.names);
  for (const name of a.names) {
    signal.throwIfAborted();
    if (!inB.has(name)) yield { name, what: "only in the first file" };
    else {
      try {
        yield* tensorDifferences(a, b, name, options, signal);
      } catch (error) {
        // The other tensors can be compared all the same.
        signal.throwIfAborted();
        yield { name, what: "cannot be compared", error: errorText(error, false) };
      }
    }
  }
  for (const name of b.names) if (!inA.has(name)) yield { name, what: "only in the second file" };
  if (!options.values) yield* metadataDifferences(a, b);
}

/** The facts of a descriptor that say how a tensor is stored; sizes and places of buffers follow from them. */
const FACTS = ["layout", "quantisation", "shard", "statistics", "extensionType", "memberRole"] as const;

async function* tensorDifferences(
  a: Collection,
  b: Collection,
  name: string,
  options: DiffOptions,
  signal: AbortSignal,
): AsyncGenerator<Difference> {
  const before = descriptorFacts(await a.descriptor(name));
  const after = descriptorFacts(await b.descriptor(name));
  const facts = options.values ? ["shape"] : ["type", "shape", ...FACTS];
  for (const what of facts) {
    if (toJson(before[what]) !== toJson(after[what])) yield { name, what, before: before[what], after: after[what] };
  }
  const isHead = (collection: Collection): Promise<boolean> =>
    collection.descriptor(name).then(({ layout }) => layout.kind === "composite");
  // The members of a composite are tensors of their own, with names of their own.
  if (options.structure || toJson(before["shape"]) !== toJson(after["shape"])) return;
  if ((await isHead(a)) && (await isHead(b))) return;
  const values = compareValues(await a.item(name, signal), await b.item(name, signal), options, {
    ...(options.tokens && { tokens: options.tokens }),
  });
  if (values !== undefined) yield { name, what: "values", values };
}

function* metadataDifferences(a: Collection, b: Collection): Generator<Difference> {
  const before = metadataFacts(a.metadata);
  const after = metadataFacts(b.metadata);
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (toJson(before[key]) === toJson(after[key])) continue;
    yield { what: `metadata ${nameText(key)}`, before: before[key], after: after[key] };
  }
}

function differenceText({ name, what, before, after, values, error }: Difference): string {
  const subject = name === undefined ? "" : `${nameText(name)}: `;
  if (values !== undefined) {
    const { differing, of, largest, first, before: one, after: other } = values;
    const at = `[${first.join(",")}]`;
    return `${subject}${differing} of ${of} values differ, by ${largest} at most; first at ${at}: ${valueText(one)}, ${valueText(other)}`;
  }
  if (error !== undefined) return `${subject}${what}: ${error}`;
  if (before === undefined && after === undefined) return `${subject}${what}`;
  const show = (value: unknown): string => (value === undefined ? "none" : toJson(value, 0));
  return `${subject}${what}: ${show(before)}, then ${show(after)}`;
}

function valueText(value: Value): string {
  return typeof value === "object" ? `(${value.map(numberText).join(", ")})` : numberText(value);
}
