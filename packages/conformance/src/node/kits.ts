import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type FormatCandidate, formatKit, formatKitOf } from "../format/kit.js";
import { digitsOf, type FormatVector } from "../format/vectors.js";
import { exactKernelKit, kernelKit } from "../kernels/kit.js";
import type { Kit } from "../kit.js";
import { type LayoutCandidate, layoutKit, layoutKitOf } from "../layout/kit.js";
import { LAYOUT_FILES, type LayoutLine } from "../layout/vectors.js";
import { memoryKit } from "../memory/kit.js";
import { UsageError } from "./arguments.js";

const KITS: { readonly [name: string]: Kit<never> } = {
  kernels: kernelKit,
  exact: exactKernelKit,
  memory: memoryKit,
  format: formatKit,
  layout: layoutKit,
};
/** The kit that needs `@sw/autograd`, which is loaded when it is asked for. */
const GRADIENTS = "gradients";

/**
 * Finds a kit by its name, over the vectors of a folder where one is named.
 *
 * @throws UsageError for another name, a kit without vectors, or a folder that has none.
 */
export async function kitNamed(name: string, vectors: string | undefined): Promise<Kit<unknown>> {
  const kit = name === GRADIENTS ? await loadGradients() : Object.hasOwn(KITS, name) ? KITS[name] : undefined;
  if (kit === undefined) {
    const names = [...Object.keys(KITS), GRADIENTS].join(", ");
    throw new UsageError(`--kit is none of the kits: got ${name}, expected ${names}.`);
  }
  // A kit checks its candidate before it uses it.
  if (vectors === undefined) return kit as Kit<unknown>;
  try {
    if (name === "format") return (await formatKitOver(vectors)) as Kit<unknown>;
    if (name === "layout") return (await layoutKitOver(vectors)) as Kit<unknown>;
  } catch (error) {
    throw new UsageError(`--vectors is no folder of vectors: got ${vectors}. ${(error as Error).message}`, {
      cause: error,
    });
  }
  throw new UsageError(`--vectors is for the kits format and layout: got the kit ${name}.`);
}

async function loadGradients(): Promise<Kit<never>> {
  try {
    return (await import("../gradients/kit.js")).gradientKit as Kit<never>;
  } catch (cause) {
    throw new UsageError(`--kit gradients needs @sw/autograd beside this package: got ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** A manifest's case: the vector's bytes are in a file beside it. */
interface ManifestCase extends Omit<FormatVector, "bytes" | "addresses"> {
  readonly file: string;
  readonly byteAddresses?: readonly number[];
}

async function jsonOf(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, "utf8"));
}

async function formatKitOver(folder: string): Promise<Kit<FormatCandidate>> {
  const { cases } = (await jsonOf(join(folder, "manifest.json"))) as { readonly cases: readonly ManifestCase[] };
  const vectors = cases.map(async ({ file, byteAddresses, ...vector }): Promise<FormatVector> => {
    const bytes = digitsOf(await readFile(join(folder, file)));
    return { ...vector, bytes, ...(byteAddresses === undefined ? {} : { addresses: byteAddresses }) };
  });
  const all = await Promise.all(vectors);
  return formatKitOf(() => all);
}

async function layoutKitOver(folder: string): Promise<Kit<LayoutCandidate>> {
  const lines = LAYOUT_FILES.map(async (file) => {
    const { cases } = (await jsonOf(join(folder, `${file}.json`))) as {
      readonly cases: readonly Omit<LayoutLine, "file">[];
    };
    return cases.map((one): LayoutLine => ({ ...one, file }));
  });
  const all = (await Promise.all(lines)).flat();
  return layoutKitOf(() => all);
}
