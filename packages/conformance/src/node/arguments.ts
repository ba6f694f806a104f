import { parseArgs } from "node:util";

/** What a call of the command asks for. */
export interface Asked {
  readonly module: string;
  readonly kit: string;
  readonly grep: RegExp | undefined;
  readonly json: string | undefined;
  readonly junit: string | undefined;
  readonly since: string | undefined;
  readonly vectors: string | undefined;
}

export const HELP = `sw-conformance <module> [options]

Runs a conformance kit on what a module exports as its default: a candidate, or a
function that returns one, or a promise of it.

  --kit <name>       kernels (the default), exact, memory, format or layout
  --grep <pattern>   only cases whose id a regular expression finds something in
  --since <version>  only cases that this version of the kit had already
  --vectors <folder> all vectors of the format or of layouts, for the kits of these
  --json <file>      writes the report as JSON, too
  --junit <file>     writes it as JUnit XML, too
  --help             shows this

Exit codes: 0 all is well; 1 a case fails, or one that was declared to fail does not;
2 nothing could be run.
`;

/** A call that asks for what there is not. */
export class UsageError extends Error {}

const OPTIONS = {
  kit: { type: "string", default: "kernels" },
  grep: { type: "string" },
  since: { type: "string" },
  vectors: { type: "string" },
  json: { type: "string" },
  junit: { type: "string" },
  help: { type: "boolean", default: false },
} as const;

/**
 * Reads the arguments of a call; `undefined` where it asks for help.
 *
 * @throws UsageError for anything that means nothing.
 */
export function argumentsOf(argv: readonly string[]): Asked | undefined {
  const { values, positionals } = parsed(argv);
  if (values.help) return undefined;
  const [module, ...rest] = positionals;
  if (module === undefined || rest.length > 0) {
    throw new UsageError(`one module is tested: got ${positionals.length}, expected a path or the name of a package.`);
  }
  return {
    module,
    kit: values.kit,
    grep: values.grep === undefined ? undefined : patternOf(values.grep),
    json: values.json,
    junit: values.junit,
    since: values.since,
    vectors: values.vectors,
  };
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

function patternOf(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (error) {
    throw new UsageError(`--grep is no regular expression: got ${text}. ${(error as Error).message}`, { cause: error });
  }
}
