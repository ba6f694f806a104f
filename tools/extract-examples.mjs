// Writes every ```ts fence of the documentation and of the TSDoc comments into
// `tools/generated/`, one module each, where the compiler checks them and
// `test/examples.test.ts` runs them. A fence marked ```ts no-run is left out.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT } from "./bootstrap.mjs";

const OUT = join(ROOT, "tools", "generated");

/** Files below a folder with an ending, in a stable order. */
function filesBelow(folder, ending) {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(ROOT, join(entry.parentPath ?? entry.path, entry.name)))
    .filter((path) => !/(^|\/)(node_modules|dist|generated|vectors)\//.test(path))
    .sort();
}

const markdown = ["README.md", ...filesBelow("packages", "README.md"), ...filesBelow("docs", ".md")];
const sources = filesBelow("packages", ".ts").filter((path) => /\/src\//.test(path));

/** The fences of a file; `prefix` is what starts each line of a comment. */
function fences(path, prefix) {
  const text = readFileSync(join(ROOT, path), "utf8");
  const found = [];
  let open;
  for (const line of text.split("\n")) {
    const stripped = prefix === "" ? line : line.replace(/^\s*\* ?/, "");
    if (open === undefined) {
      if (/^```ts\s*$/.test(stripped)) open = [];
    } else if (/^```\s*$/.test(stripped)) {
      found.push(open.join("\n"));
      open = undefined;
    } else {
      open.push(stripped);
    }
  }
  if (open !== undefined) throw new Error(`${path}: a fence of ts is not closed.`);
  return found;
}

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
for (const [paths, prefix] of [
  [markdown, ""],
  [sources, "*"],
]) {
  for (const path of paths) {
    fences(path, prefix).forEach((code, i) => {
      const name = path.replaceAll("/", "-").replace(/\.(md|ts)$/, "");
      writeFileSync(join(OUT, `${name}-${i + 1}.ts`), `// From ${path}.\n${code}\n\nexport {};\n`);
    });
  }
}
