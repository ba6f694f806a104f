import { jsKernels } from "@sw/kernels-js";
import type { Backend, Kernel, Operand } from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";
import { gradientKit } from "../src/gradients/kit.js";
import { run } from "../src/index.js";
import { codesOf, positions, reference } from "./support.js";

/** All kernels of JavaScript, and some others in their place. */
const withOthers = (name: string, kernels: Backend["kernels"]): Backend => ({
  ...jsKernels,
  name,
  kernels: { ...jsKernels.kernels, ...kernels },
});

/** A kernel whose output is changed when it is written. */
const then =
  (kernel: string, change: (x: number) => number): Kernel =>
  (outputs, inputs, ints, floats) => {
    reference(kernel)(outputs, inputs, ints, floats);
    const out = outputs[0] as Operand;
    const data = out.data as { [at: number]: number };
    for (const at of new Set(positions(out))) data[at] = change(data[at]!);
  };

test("the kernels of JavaScript have the gradients of their values, and no case is skipped", async () => {
  const report = await run(gradientKit, jsKernels);
  expect(report.failed.map(({ error }) => error.message)).toEqual([]);
  expect(report.skipped).toEqual([]);
  expect(report.passed).toHaveLength(gradientKit.cases().length);
  expect(report.passed.length).toBeGreaterThan(150);
  // Steps have no gradient; these are other parts of what is checked, or move elements and compute none.
  expect(report.unchecked).not.toContain("conv2d");
});

describe("a backend whose backward kernels do not fit its forward ones is caught:", () => {
  test.each<[what: string, kernels: Backend["kernels"], caughtBy: string]>([
    ["a mask of relu that is open", { reluBackward: then("reluBackward", (x) => x + 0.5) }, "relu"],
    ["an image's cotangent, doubled", { conv2dInputBackward: then("conv2dInputBackward", (x) => 2 * x) }, "conv2d"],
    ["a weight's cotangent, negated", { conv2dWeightBackward: then("conv2dWeightBackward", (x) => -x) }, "conv2d"],
    ["a mean's share, twice", { avgPool2dBackward: then("avgPool2dBackward", (x) => x + x) }, "avgPool2d"],
    ["one row too many", { indexAdd: then("indexAdd", (x) => x + 0.125) }, "indexSelect"],
  ])("%s", async (what, kernels, caughtBy) => {
    const filter = (id: string): boolean => id.startsWith(`gradients/${caughtBy}/`);
    const report = await run(gradientKit, withOthers(what, kernels), { filter });
    expect(codesOf(report)).toMatchObject({ [`gradients/${caughtBy}/contiguous`]: "SW_CONFORMANCE_GRADIENT" });
    expect(report.failed).toHaveLength(3);
    expect(report.failed[0]?.error.cause).toMatchObject({ code: "SW_AUTOGRAD_GRADCHECK" });
  });

  test("also a forward kernel that is not the function of its rule", async () => {
    const filter = (id: string): boolean => id.startsWith("gradients/tanh/");
    const report = await run(gradientKit, withOthers("tanh of twice", { tanh: reference("sin") }), { filter });
    expect(report.failed).toHaveLength(3);
  });
});

test("a case is skipped where the backend lacks the kernel, float64, or what the gradient is made of", async () => {
  const { exp, tanh } = jsKernels.kernels;
  const bare: Backend = { name: "bare", seamVersion: 1, kernels: { tanh } };
  const filter = (id: string): boolean => /^gradients\/(tanh|exp)\/contiguous$/.test(id);
  const report = await run(gradientKit, bare, { filter });
  expect(report).toMatchObject({ passed: [], failed: [], unchecked: ["tanh"] });
  expect(report.skipped.map(({ reason }) => reason)).toEqual([
    "the candidate has no kernel exp",
    expect.stringMatching(/^float64, or what the gradient is made of: /),
  ]);
  const narrow: Backend = {
    ...jsKernels,
    name: "narrow",
    kernels: { exp },
    supports: (_, [out]) => out!.dtype === "float32",
  };
  expect((await run(gradientKit, narrow, { filter })).skipped).toHaveLength(2);
});
