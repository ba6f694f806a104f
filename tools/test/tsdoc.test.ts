import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, test } from "vitest";

// Everything that a package exports says what it is, in a comment of its own.

const PACKAGES = fileURLToPath(new URL("../../packages/", import.meta.url));

interface Manifest {
  readonly exports: { readonly [entry: string]: string | { readonly "@sw/source": string } };
}

/** The source files behind a package's entry points. */
function entriesOf(name: string): string[] {
  const manifest = JSON.parse(readFileSync(`${PACKAGES}${name}/package.json`, "utf8")) as Manifest;
  return Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === "string" ? [] : [`${PACKAGES}${name}/${entry["@sw/source"]}`],
  );
}

const names = readdirSync(PACKAGES);
const program = ts.createProgram(names.flatMap(entriesOf), {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  customConditions: ["@sw/source"],
  skipLibCheck: true,
  noEmit: true,
});
const checker = program.getTypeChecker();

function resolved(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function isDocumented(symbol: ts.Symbol): boolean {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
  return text !== "" && symbol.getJsDocTags(checker).some((tag) => tag.name === "since");
}

/** The names a module exports; of a namespace those in it, since nobody calls the namespace. */
function exported(module: ts.Symbol): ts.Symbol[] {
  return checker.getExportsOfModule(module).flatMap((symbol) => {
    const target = resolved(symbol);
    return target.flags & ts.SymbolFlags.ValueModule ? exported(target) : [target];
  });
}

describe("every exported name has TSDoc, and says since when it is there", () => {
  test.each(names)("@sw/%s", (name) => {
    const bare = entriesOf(name).flatMap((entry) => {
      const source = program.getSourceFile(entry);
      const module = source && checker.getSymbolAtLocation(source);
      expect(module, `${entry} exports nothing`).toBeDefined();
      return exported(module as ts.Symbol)
        .filter((symbol) => !isDocumented(symbol))
        .map((symbol) => symbol.name);
    });
    expect(bare).toEqual([]);
  });
});
