import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Options } from "tsup";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/**
 * The build that packages share: an ES module for each entry, for every host. What several entries use is put into
 * chunks, so that no class and no state exists twice.
 *
 * A chunk is made of what the same entries use, and Node takes half a millisecond for each file and each import between
 * files. So entries that programs load together are named in `together`, the main one first: they have one chunk, and what
 * others share with them is in it.
 */
export function library(entry: Record<string, string>, together: readonly string[] = []): Options {
  return {
    entry,
    format: ["esm"],
    dts: true,
    sourcemap: true,
    clean: true,
    platform: "neutral",
    target: "es2022",
    external: [/^node:/],
    esbuildPlugins: [
      importing(
        Object.values(entry),
        together.map((name) => entry[name] ?? name),
      ),
    ],
    esbuildOptions(options) {
      // The imports that `importing` adds have no other effect than to be there.
      options.logOverride = { ...options.logOverride, "ignored-bare-import": "silent" };
    },
  };
}

/** Has each of the entries import all that are `together`: these are then used by the same entries, and are one chunk. */
function importing(entries: readonly string[], together: readonly string[]): Plugin {
  const files = new Set(entries.map((path) => resolve(path)));
  const imports = together.map((path) => `import ${JSON.stringify(resolve(path))};`).join("\n");
  return {
    name: "importing",
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (!files.has(path)) return undefined;
        return { contents: `${await readFile(path, "utf8")}\n${imports}\n`, loader: "ts" };
      });
    },
  };
}
