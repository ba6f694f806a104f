import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ELEMENT_TYPES } from "../src/index.js";
import { TYPE_MAPPINGS, TYPE_REFUSALS } from "../src/interchange/index.js";

/** The tables of the README, as they follow from the data. */
function tables(): string {
  const cell = (name: string | undefined): string => (name === undefined ? "" : `\`${name}\``);
  const mappings = ELEMENT_TYPES.map(({ name }) => {
    const { npy, safetensors, onnx } = TYPE_MAPPINGS.find(({ type }) => type === name)!;
    return `| ${[cell(name), cell(npy), cell(safetensors), cell(onnx?.[1])].join(" | ")} |`;
  });
  const refusals = TYPE_REFUSALS.map(
    ({ format, name, reason, advice }) => `| ${[format, cell(name), reason, advice].join(" | ")} |`,
  );
  return [
    "| here | npy, npz | safetensors | ONNX |",
    "| --- | --- | --- | --- |",
    ...mappings,
    "",
    "| refused | type | because | instead |",
    "| --- | --- | --- | --- |",
    ...refusals,
  ].join("\n");
}

test("the README has the tables of types as they are", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, given] = /<!-- types -->\n+([\s\S]*?)\n+<!-- \/types -->/.exec(readme) ?? [];
  expect(given).toBe(tables());
});

test("every element type has a row, and no name of another format stands for two", () => {
  expect(TYPE_MAPPINGS.map(({ type }) => type).sort()).toEqual(ELEMENT_TYPES.map(({ name }) => name).sort());
  for (const format of ["npy", "safetensors"] as const) {
    const names = TYPE_MAPPINGS.flatMap((row) => row[format] ?? []);
    const refused = TYPE_REFUSALS.filter((row) => row.format === format).map(({ name }) => name);
    expect(new Set([...names, ...refused]).size).toBe(names.length + refused.length);
  }
  const numbers = TYPE_MAPPINGS.flatMap(({ onnx }) => onnx?.[0] ?? []);
  const refused = TYPE_REFUSALS.flatMap(({ format, name }) =>
    format === "onnx" ? Number(/\d+(?=\)$)/.exec(name)) : [],
  );
  // Every type that ONNX has, as its enumeration numbers them.
  expect([...numbers, ...refused].sort((a, b) => a - b)).toEqual(Array.from({ length: 29 }, (_, k) => k));
});
