import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { OPERATIONS } from "@sw/tensor/seam";
import { expect, test } from "vitest";
import { kernelList } from "./kernel-list.js";

const PAGE = fileURLToPath(new URL("../../docs/kernel-seam.md", import.meta.url));
const BEGIN = "<!-- kernels: written by `npx vitest run --project tools -u kernel-list` -->";
const END = "<!-- end of kernels -->";

const page = readFileSync(PAGE, "utf8");

test("the list of kernels in docs/kernel-seam.md is what specs, reference kernels and bounds say", async () => {
  const begin = page.indexOf(BEGIN) + BEGIN.length;
  const end = page.indexOf(END);
  expect(begin < end && end > 0, "the page has the marks of the list").toBe(true);
  // Written anew by `vitest run -u`.
  await expect(`${page.slice(0, begin)}\n\n${kernelList()}\n\n${page.slice(end)}`).toMatchFileSnapshot(PAGE);
});

test("it has every kernel", () => {
  for (const { kind, family } of Object.values(OPERATIONS)) {
    expect(page.includes(`\n#### ${kind}\n`), kind).toBe(["loops", "reduce", "axes"].includes(family));
  }
});

test("every kernel states where its meaning comes from", () => {
  const source = /Source: |IEEE 754|OneModel section|NumPy|\b(19|20)\d\d\b/;
  const kernels = page.slice(page.indexOf(BEGIN), page.indexOf(END)).split("\n#### ").slice(1);
  expect(kernels.filter((text) => !source.test(text)).map((text) => text.split("\n")[0])).toEqual([]);
});

test("the rules are numbered without a gap, each once", () => {
  const numbers = [...page.matchAll(/^\*\*S-(\d+)\*\*/gm)].map(([, number]) => Number(number));
  expect(numbers).toEqual(numbers.map((_, i) => i + 1));
  expect(numbers.length).toBeGreaterThan(40);
});
