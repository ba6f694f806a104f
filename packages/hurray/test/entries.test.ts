import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as descriptor from "../src/descriptor/index.js";
import * as main from "../src/index.js";
import * as node from "../src/node/index.js";

/** The modules that a source file brings in, its own and others. */
function imports(file: URL, seen: Map<string, string[]> = new Map()): Map<string, string[]> {
  if (seen.has(file.href)) return seen;
  const text = readFileSync(file, "utf8");
  const found = [...text.matchAll(/^(?! \*).*(?:from|import) "([^"]+)"/gm)].map((match) => match[1]!);
  seen.set(file.href, found);
  for (const path of found) if (path.startsWith(".")) imports(new URL(path.replace(/\.js$/, ".ts"), file), seen);
  return seen;
}

const outside = (entry: string): string[] =>
  [...new Set([...imports(new URL(`../src/${entry}`, import.meta.url)).values()].flat())]
    .filter((path) => !path.startsWith("."))
    .sort();

test("the entries for descriptors, streams, messages and servers import nothing but themselves: no tensor, no layout", () => {
  expect(outside("descriptor/index.ts")).toEqual([]);
  expect(outside("stream/index.ts")).toEqual([]);
  expect(outside("messages/index.ts")).toEqual([]);
  expect(outside("http/index.ts")).toEqual([]);
});

test("the transport entry brings no tensor, and nothing of Node", () => {
  expect(outside("transport/index.ts")).toEqual(["@sw/layout", "@sw/layout/maps", "@sw/layout/walk"]);
});

test("the entries for values, interchange and checks bring no tensor", () => {
  expect(outside("values/index.ts")).toEqual(["@sw/layout", "@sw/layout/maps", "@sw/layout/walk"]);
  expect(outside("verify/index.ts")).toEqual(outside("values/index.ts"));
  expect(outside("interchange/index.ts")).toEqual(outside("values/index.ts"));
});

test("the compound entry is the one that brings the tensors of several parts", () => {
  expect(outside("compound/index.ts")).toContain("@sw/tensor/compound");
  for (const entry of ["index.ts", "values/index.ts", "node/index.ts"]) {
    expect(outside(entry)).not.toContain("@sw/tensor/compound");
  }
});

test("the main entry needs no module of Node; the node entry does", () => {
  expect(outside("index.ts")).toEqual([
    "@sw/buffer",
    "@sw/layout",
    "@sw/layout/recognise",
    "@sw/tensor",
    "@sw/tensor/seam",
  ]);
  expect(outside("sequential/index.ts").filter((path) => !path.startsWith("@sw/"))).toEqual([]);
  expect(outside("node/index.ts").filter((path) => path.startsWith("node:"))).toHaveLength(5);
});

test("everything that the descriptor entry exports is what the main entry exports under the same name", () => {
  const names = Object.keys(descriptor).filter(
    (name) => !["DEVICE_NAMES", "LAYOUT_NAMES", "describeBytes"].includes(name),
  );
  for (const name of names)
    expect((main as Record<string, unknown>)[name]).toBe((descriptor as Record<string, unknown>)[name]);
  expect(Object.keys(node).sort()).toEqual([
    "atomicFile",
    "attachWebSocket",
    "connectSocket",
    "createFile",
    "listen",
    "openFile",
    "readFile",
    "socketChannel",
    "writeFile",
  ]);
});
