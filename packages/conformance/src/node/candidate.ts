import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { UsageError } from "./arguments.js";

/**
 * Loads what is tested: the default export of a module, or what the function that it is returns.
 *
 * @param specifier - a path as the command line has it, or the name of a package.
 * @throws UsageError where there is no such module, or nothing to test in it.
 */
export async function candidateOf(specifier: string, folder: string, kit: string): Promise<unknown> {
  const exported = await defaultOf(specifier, folder);
  if (typeof exported !== "function") return exported;
  let made: unknown;
  try {
    made = await (exported as () => unknown)();
  } catch (error) {
    throw new UsageError(`${specifier}: its default export threw: ${(error as Error).message}`, { cause: error });
  }
  // A candidate of the memory kit is a function itself: the one that makes memory.
  return kit === "memory" && typeof made !== "function" ? exported : made;
}

async function defaultOf(specifier: string, folder: string): Promise<unknown> {
  const isPath = /^(\.{0,2}[/\\]|[a-zA-Z]:[/\\])/.test(specifier) || /\.[cm]?js$/.test(specifier);
  const url = isPath ? pathToFileURL(resolve(folder, specifier)).href : specifier;
  let module: { readonly default?: unknown };
  try {
    module = (await import(url)) as { readonly default?: unknown };
  } catch (error) {
    throw new UsageError(`${specifier} cannot be loaded: ${(error as Error).message}`, { cause: error });
  }
  if (module.default !== undefined) return module.default;
  const names = Object.keys(module).join(", ") || "nothing";
  throw new UsageError(
    `${specifier} has no default export: got ${names}, expected a candidate or a function that returns one.`,
  );
}
