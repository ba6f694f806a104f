import { fileURLToPath } from "node:url";
import { kernelKit, run } from "@sw/conformance";
import { jsKernels } from "@sw/kernels-js";
import { wasmKernelsSync } from "@sw/kernels-wasm";
import { DTYPES, type DType } from "@sw/tensor";
import type { Backend } from "@sw/tensor/seam";
import { expect, test } from "vitest";
import { COLUMNS, mark, REASONS, reasonsFor, table, WITH_KERNEL } from "./operations.js";

const DOCUMENT = fileURLToPath(new URL("../../docs/operations.md", import.meta.url));

/** One case for each kernel and dtype: what passes it is there, and what declines it is not. */
const FIRST = new Map<string, string>();
for (const { id } of kernelKit.cases()) {
  const [suite, kernel, dtype] = id.split("/");
  const key = `${kernel}/${dtype}`;
  if (suite === "kernels" && !FIRST.has(key)) FIRST.set(key, id);
}
const FIRST_IDS = new Set(FIRST.values());

async function passed(backend: Backend): Promise<ReadonlySet<string>> {
  const report = await run(kernelKit, backend, { filter: (id) => FIRST_IDS.has(id) });
  expect(report.failed).toEqual([]);
  return new Set(report.passed.map((id) => id.split("/").slice(1, 3).join("/")));
}

const takes = (kind: string, dtype: DType): boolean =>
  WITH_KERNEL.find((spec) => spec.kind === kind)?.kinds.includes(DTYPES[dtype].kind) === true;

test("every empty cell has one reason, and no reason is left over", () => {
  const used = new Set<string>();
  for (const { kind } of WITH_KERNEL) {
    for (const dtype of COLUMNS) {
      const reasons = reasonsFor(kind, dtype);
      expect([kind, dtype, reasons.length]).toEqual([kind, dtype, takes(kind, dtype) ? 0 : 1]);
      for (const reason of reasons) used.add(`${kind} ${reason}`);
    }
  }
  const listed = REASONS.flatMap(({ of }, reason) => of.map((kind) => `${kind} ${reason}`));
  expect(listed.filter((one) => !used.has(one))).toEqual([]);
});

test("docs/operations.md is what the operations and the kit say; -u writes it anew", async () => {
  const backends: readonly Backend[] = [jsKernels, wasmKernelsSync({ initialBytes: 2 ** 22 })];
  const found = await Promise.all(backends.map(passed));
  const tested = [...new Set([...FIRST.keys()].map((key) => key.split("/")[0] as string))];
  // The reference takes what the operations say, and the kit has seen it: D8.
  for (const kind of tested) {
    expect([kind, COLUMNS.filter((dtype) => found[0]?.has(`${kind}/${dtype}`))]).toEqual([
      kind,
      COLUMNS.filter((dtype) => takes(kind, dtype)),
    ]);
  }
  const kinds = WITH_KERNEL.map(({ kind }) => kind);
  const text = `# Operations by dtype

This page is written by a test (\`npx vitest run --project tools -u\`), out of the specs of the operations and of runs of the conformance kit.

## What operations take

By the dtype of the operands that have no dtype of their own: an index is int32 or int64, a mask bool, whatever else an operation takes. 16-bit floats are computed in float32 or wider and rounded once; integers wrap modulo 2^bits, int64 and uint64 by \`bigint\`, and none is ever rounded. Tensors of two dtypes meet in \`resultType\`. A letter says why a cell is empty.

${table(kinds, (kind, dtype) => (takes(kind, dtype) ? "✓" : reasonsFor(kind, dtype).map(mark).join("")))}

${REASONS.map(({ why }, reason) => `- ${mark(reason)}: ${why}.`).join("\n")}

## Which backends have which kernels

${backends.map(({ name }, i) => `${"abc"[i]}: \`${name}\``).join(", ")}. A letter stands where the backend passes the kit; where it does not, it declines, and the next backend of the chain is asked. \`copy\` and \`cast\` are in every process, without a backend.

${table(tested, (kind, dtype) =>
  backends
    .map((_, i) => (found[i]?.has(`${kind}/${dtype}`) ? "abc"[i] : ""))
    .join(" ")
    .trim(),
)}
`;
  await expect(text).toMatchFileSnapshot(DOCUMENT);
}, 60_000);
