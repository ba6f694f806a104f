import { jsKernels } from "@sw/kernels-js";
import type { Backend, Kernel, Program } from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";
import { kernelKit, run } from "../src/index.js";
import { codesOf, elementwise } from "./support.js";
import { seeing } from "./wrong/defect.js";

const reference = (program: Program): Kernel => jsKernels.compile!(program)!;

/** A backend that compiles programs, otherwise as the reference. */
function compiling(compile: Backend["compile"]): Backend {
  return { ...jsKernels, name: "compiling", ...(compile === undefined ? {} : { compile }) };
}

/** The ids of the cases that fail. */
async function failing(compile: Backend["compile"], prefix: string): Promise<{ readonly [id: string]: string }> {
  return codesOf(await run(kernelKit, compiling(compile), { filter: (id) => id.startsWith(prefix) }));
}

describe("cases of programs", () => {
  test("S-51: the JS kernels pass all of them", { timeout: 60_000 }, async () => {
    const report = await run(kernelKit, jsKernels, { filter: (id) => id.startsWith("programs/") });
    expect(report.failed.map(({ error }) => error.message)).toEqual([]);
    expect(report.passed.length).toBeGreaterThan(250);
    expect(report.skipped.filter(({ id }) => !/((foreign|mixed)-memory|no-allocation)$/.test(id))).toEqual([]);
  });

  test("S-49: a backend without compile, or that declines a program, is skipped with the reason", async () => {
    const id = "programs/chain/float32/contiguous";
    const { compile: _, ...without } = jsKernels;
    const reasons = async (backend: Backend) =>
      (await run(kernelKit, backend, { filter: (one) => one === id })).skipped.map(({ reason }) => reason);
    expect(await reasons(without)).toEqual(["the candidate compiles no programs"]);
    expect(await reasons(compiling(() => undefined))).toEqual(["compile() declines the program"]);
  });
});

describe("a compiler that", () => {
  test("carries float64 from step to step is caught", async () => {
    const wide = (): Kernel => elementwise((x) => x + 2 ** 24 - 2 ** 24);
    expect(await failing(wide, "programs/rounded-steps/float32/")).toMatchObject({
      "programs/rounded-steps/float32/contiguous": "SW_CONFORMANCE_VALUE",
    });
  });
  test("contracts a product and a sum is caught", async () => {
    const fused = (): Kernel => elementwise((a, b) => Math.fround(Math.fround(a! * b! + 2) - a!));
    expect(await failing(fused, "programs/chain/float32/")).toMatchObject({
      "programs/chain/float32/sizes": "SW_CONFORMANCE_VALUE",
    });
  });
  test("forgets an output is caught", async () => {
    const first = (program: Program): Kernel => {
      const kernel = reference(program);
      return (outputs, inputs, ints, floats) => {
        const spare = outputs.slice(1).map((out) => ({ ...out, data: out.data.slice() }));
        kernel([outputs[0]!, ...spare], inputs, ints, floats);
      };
    };
    expect(Object.keys(await failing(first, "programs/choice/int32/"))).toContain("programs/choice/int32/contiguous");
  });
  test("forgets a step is caught", async () => {
    const shorter = (program: Program): Kernel =>
      reference({ ...program, steps: program.steps.slice(0, 1), outputs: [program.outputs[0]! - 2] });
    expect(Object.keys(await failing(shorter, "programs/chain/int64/"))).toContain("programs/chain/int64/contiguous");
  });
  test("ignores the strides of inputs is caught", async () => {
    const blind = (program: Program): Kernel =>
      seeing(reference(program), (o) => ({ ...o, strides: o.strides.map(Math.abs) }));
    expect(Object.keys(await failing(blind, "programs/chain/float64/"))).toContain("programs/chain/float64/reversed");
  });
  test("adds to what was in the output is caught", async () => {
    const adding = (program: Program): Kernel => {
      const kernel = reference(program);
      return (outputs, inputs, ints, floats) => {
        const out = outputs[0]!;
        const before = Number(out.data[out.offset]);
        kernel(outputs, inputs, ints, floats);
        out.data[out.offset] = Number(out.data[out.offset]) + before;
      };
    };
    const found = await failing(adding, "programs/sum-of-products/float32/contiguous");
    expect(Object.values(found)).toHaveLength(1);
  });
  test("takes the largest for the smallest is caught", async () => {
    const other = (program: Program): Kernel => reference({ ...program, reduce: "max" });
    expect(Object.keys(await failing(other, "programs/min-of-products/int32/"))).toContain(
      "programs/min-of-products/int32/sizes",
    );
  });
});
