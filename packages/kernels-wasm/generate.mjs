// Assembles the core module and writes it as text, so that it loads unchanged in Node, in a bundle and in a page, and as
// the files that are copied beside the built package.
// Node 20 does not run TypeScript: the emitters are bundled in memory first. The bytes depend on the sources alone.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const bundle = await build({
  entryPoints: [here("src/kernels/core.ts")],
  bundle: true,
  write: false,
  format: "esm",
  target: "es2022",
  logLevel: "warning",
});
const source = Buffer.from(bundle.outputFiles[0].contents).toString("base64");
const { assembleCore, buildCore } = await import(`data:text/javascript;base64,${source}`);
let parts;
let files;
try {
  parts = buildCore().toParts();
  files = { "kernels.wasm": assembleCore(false), "kernels.shared.wasm": assembleCore(true) };
} catch (error) {
  // The stack names the bundle, which is its whole text.
  console.error(error.message);
  process.exit(1);
}

const text = `// Written by generate.mjs from src/kernels. Do not edit.

/** What stands before the import of memory, and after it (${parts.map(({ length }) => length).join(" and ")} bytes), as base64. */
export const CORE_MODULE: readonly [before: string, after: string] = [
${parts
  .map(
    (part) => `  "${Buffer.from(part).toString("base64")}",
`,
  )
  .join("")}];
`;
const worker = await build({
  entryPoints: [here("src/threads/worker.ts")],
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: "es2022",
  logLevel: "warning",
});
const script = worker.outputFiles[0].text;

/** Writes what has changed only, so that nothing is built again for a file that is the same. */
async function update(path, bytes) {
  const present = await readFile(here(path)).catch(() => undefined);
  if (present === undefined || !present.equals(bytes)) await writeFile(here(path), bytes);
}

await mkdir(here("src/generated/public"), { recursive: true });
await update("src/generated/module.ts", Buffer.from(text));
const quoted = `// Written by generate.mjs from src/threads. Do not edit.

/** What a thread runs. */
export const WORKER_SOURCE: string = ${JSON.stringify(script)};
`;
await update("src/generated/worker.ts", Buffer.from(quoted));
await update("src/generated/public/worker.js", Buffer.from(script));
for (const [name, bytes] of Object.entries(files)) await update(`src/generated/public/${name}`, Buffer.from(bytes));
