import { jsKernels } from "@sw/kernels-js";
import { OPERATIONS, type OperationSpec } from "@sw/tensor/seam";
import { expect, test } from "vitest";
import { exactKernelKit, kernelKit, run } from "../../src/index.js";

// The whole kit takes a minute on the JS kernels, so that it is run in families: each is a file, and files run side by
// side. The default lane takes three dtypes and the cases that find most; the long lane (SW_LONG=1) takes all.

/** Kernels that are tested in one file. The last one takes what no other does. */
export type KernelFamily = "arithmetic" | "functions" | "reductions" | "rows" | "images" | "structural";

const IMAGES = /^(conv|maxPool|avgPool|adaptiveAvgPool|attention)/;
const ROWS = /^(arg|topK|cumsum|softmax|logSoftmax|layerNorm|rmsNorm|batchNorm)/;

function familyOf({ kind, family, inputs }: OperationSpec): KernelFamily {
  if (family === "reduce") return "reductions";
  if (family === "loops") return inputs.length > 1 ? "arithmetic" : "functions";
  if (IMAGES.test(kind)) return "images";
  return ROWS.test(kind) ? "rows" : "structural";
}

/** The kernels of a family. */
export function kernelsOf(family: KernelFamily): ReadonlySet<string> {
  const all = Object.values<OperationSpec>(OPERATIONS);
  return new Set(all.filter((spec) => familyOf(spec) === family).map(({ kind }) => kind));
}

/** What only the long lane tries: layouts that `random` has among its own, and the other dtypes. */
const LONG_KIND = /\/(contiguous|reversed|offset|gapped|broadcast|extent-1|foreign-memory|mixed-memory)$/;
const DEFAULT_DTYPE = /^\w+\/\w+\/(float32|float16|int32|bool)\//;

type Lane = "default" | "long";

function isDefault(id: string): boolean {
  return id.startsWith("tensors/") || (DEFAULT_DTYPE.test(id) && !LONG_KIND.test(id));
}

/** Registers the tests of a family of the JS kernels, in one of the two lanes. */
export function testFamily(family: KernelFamily, lane: Lane): void {
  const kernels = kernelsOf(family);
  const filter = (id: string): boolean =>
    kernels.has(id.split("/")[1]!) && (lane === "long" ? !isDefault(id) : isDefault(id));

  test("the JS kernels pass the kit, without an exception", async () => {
    const report = await run(kernelKit, jsKernels, { filter });
    expect(report.failed.map(({ error }) => error.message)).toEqual([]);
    expect(report.unchecked.filter((kernel) => kernels.has(kernel))).toEqual([]);
    // What they skip: the cases about a memory of their own, and of kernels in it, and those that measure the heap.
    const skipped = report.skipped.filter(
      ({ id }) => !/\/((foreign|mixed)-memory|foreign-operand|no-allocation|direct)$/.test(id),
    );
    expect(skipped).toEqual([]);
    expect(report.partlyDeclined).toEqual([]);
    expect(report.passed.length).toBeGreaterThan(20);
  });

  test("D8: the JS kernels are exact", async () => {
    const report = await run(exactKernelKit, jsKernels, { filter });
    expect(report.failed.map(({ error }) => error.message)).toEqual([]);
    expect(report.skipped).toEqual([]);
    expect(report.passed).toHaveLength(exactKernelKit.cases(filter).length);
  });
}
