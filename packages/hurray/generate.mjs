// Assembles the loops of packing.wat and writes them as text, so that they load unchanged in Node, in a bundle and in a page.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import wabt from "wabt";

const here = (path) => new URL(path, import.meta.url);

const name = "src/values/packing.wat";
const { parseWat } = await wabt();
const module = parseWat(name, await readFile(here(name), "utf8"), { simd: true });
const { buffer } = module.toBinary({});
module.destroy();

const text = `// Written by generate.mjs from ${name}. Do not edit.

/** The loops (${buffer.length} bytes) as base64. */
export const PACKING: string =
  "${Buffer.from(buffer).toString("base64")}";
`;
const target = here("src/generated/packing.ts");
await mkdir(here("src/generated"), { recursive: true });
const present = await readFile(target, "utf8").catch(() => undefined);
if (present !== text) await writeFile(target, text);
